// Files: the schema `storage` with buckets and objects, on which users write policies. In `quoin` stands what the
// storage engine keeps for itself. Columns, and the functions that policies call, have the names that Supabase gave.
//
// What this must keep true: no caller sets or changes an object's version or metadata, whatever the policies. Whoever
// could would read a foreign file by its version. So callers have no right to the version, and a trigger refuses their
// changes of metadata. It writes both from a claim: a row that only the owner's connection writes, for one bucket and
// one name, and that is used up once.
//
// Triggers of rows run whoever writes, with the rights of quoin_storage. It has those that they need, and none on
// storage.objects: what they see of it Postgres hands them.

const REFUSE_ANOTHER = `
  do $do$
  begin
    if to_regnamespace('storage') is not null then
      raise exception 'There is a schema "storage" already, and Quoin needs one of its own by this name'
        using hint = 'Rename it (ALTER SCHEMA storage RENAME TO old_storage), then migrate again. docs/adopt.md says '
          'how files of another service move over.';
    end if;
  end
  $do$
`

// Roles belong to the whole cluster: another database may have made this one, or may still need it.
const CREATE_ROLE = `
  do $do$
  begin
    begin
      if not exists (select from pg_roles where rolname = 'quoin_storage') then
        create role quoin_storage nologin noinherit;
      end if;
    exception when duplicate_object or unique_violation then
      null; -- Another database of this cluster made it a moment ago.
    end;
    grant quoin_storage to current_user with inherit true, set true;
    if exists (select from pg_roles where rolname = 'quoin_storage'
        and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls or rolcanlogin)) then
      raise exception 'The role quoin_storage exists with more rights than Quoin gives it'
        using hint = 'Alter it to NOLOGIN and nothing else, or drop it, then migrate again.';
    end if;
    if exists (select from pg_auth_members
        where member = 'quoin_storage'::regrole or (roleid = 'quoin_storage'::regrole
          and member in (select oid from pg_roles where rolname in ('authenticator', 'anon', 'service_role')))) then
      raise exception 'Memberships would give callers, or the role quoin_storage, more than their own rights'
        using hint = 'Revoke every role from quoin_storage, and quoin_storage from callers, then migrate again.';
    end if;
  end
  $do$
`

const CREATE_TABLES = `
  create schema storage;
  comment on schema storage is 'Files: a row here, the bytes in the bucket that the Worker is bound to.';
  revoke all on schema storage from public;
  grant usage on schema storage to anon, service_role;

  create table storage.buckets (
    id text primary key check (id <> '' and strpos(id, '/') = 0 and octet_length(id) <= 400),
    name text not null unique,
    owner uuid,
    owner_id text,
    public boolean not null default false,
    avif_autodetection boolean not null default false,
    file_size_limit bigint check (file_size_limit >= 0),
    allowed_mime_types text[],
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  comment on column storage.buckets.public is 'True: whoever knows a name reads the file, past all policies.';
  comment on column storage.buckets.file_size_limit is 'Bytes; null: as large as the deployment allows.';

  create table storage.objects (
    id uuid primary key default gen_random_uuid(),
    bucket_id text not null references storage.buckets (id) on update restrict,
    name text not null check (name <> '' and octet_length(name) <= 1024),
    owner uuid,
    owner_id text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    last_accessed_at timestamptz not null default now(),
    metadata jsonb,
    path_tokens text[] generated always as (string_to_array(name, '/')) stored,
    version text,
    -- A page of a list has a thousand of them, and numbers such as 1e308 are written out.
    user_metadata jsonb check (octet_length(user_metadata::text) <= 12288)
  );
  comment on column storage.objects.version is
    'The bytes are at bucket_id/version. Written by the storage engine alone; null: a row without a file.';
  comment on column storage.objects.metadata is
    'Size, type and ETag as they were measured, and how long to cache. Written by the storage engine alone.';
  create unique index objects_by_name on storage.objects (bucket_id, name collate "C");
  create index objects_by_version on storage.objects (bucket_id, version) where version is not null;

  alter table storage.buckets enable row level security;
  alter table storage.objects enable row level security;
  grant select, insert, update, delete on storage.buckets to anon, service_role;
  grant select, delete,
    insert (id, bucket_id, name, owner, owner_id, user_metadata),
    -- The trigger lets nobody change metadata. A replacement names the column, for triggers of users that wait for it.
    update (bucket_id, name, owner, owner_id, user_metadata, last_accessed_at, metadata)
    on storage.objects to anon, service_role;
`

// What is under way, and what is to be deleted one day. Only the owner and the triggers reach these.
const CREATE_RECORDS = `
  create table quoin.storage_claims (
    id uuid primary key,
    bucket_id text not null,
    name text not null,
    version text not null,
    metadata jsonb not null,
    opened_by text,
    multipart_upload_id text,
    created_at timestamptz not null default now()
  );
  comment on table quoin.storage_claims is
    'Writes under way: the row of this bucket and name may take this version, once. A claim that is a day old belongs '
    'to nobody: its bytes go.';
  comment on column quoin.storage_claims.opened_by is
    'Of a resumable upload: the person, key or token that it counts against.';
  comment on column quoin.storage_claims.multipart_upload_id is 'Of an upload in parts: what aborts it.';
  create index storage_claims_by_version on quoin.storage_claims (bucket_id, version);
  create index storage_claims_by_opener on quoin.storage_claims (opened_by) where opened_by is not null;

  create table quoin.lost_versions (
    bucket_id text not null,
    version text not null,
    lost_at timestamptz not null default clock_timestamp(),
    primary key (bucket_id, version)
  );
  comment on table quoin.lost_versions is
    'Versions that a row lost, by whoever''s SQL: their bytes live on for STORAGE_RETENTION, and longer while another '
    'row names them.';
  create index lost_versions_by_time on quoin.lost_versions (lost_at);

  revoke all on quoin.storage_claims, quoin.lost_versions from public;
  grant usage on schema quoin to quoin_storage;
  -- FOR UPDATE asks for UPDATE of a column, whichever.
  grant select (id, bucket_id, name, version, metadata), update (created_at), delete
    on quoin.storage_claims to quoin_storage;
  grant select (bucket_id, version), insert (bucket_id, version), update (lost_at)
    on quoin.lost_versions to quoin_storage;
`

// The check conditions of policies run behind these, so they see the measured size and type.
const CREATE_TRIGGERS = `
  create function quoin.take_version() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
  declare
    claimed_version text;
    claimed_metadata jsonb;
  begin
    if current_setting('storage.claim', true) <> '' then
      -- Locked: a sweep that ends old claims must not end this one before the row has it.
      select version, metadata into claimed_version, claimed_metadata from quoin.storage_claims
        where id = current_setting('storage.claim', true)::uuid and bucket_id = new.bucket_id and name = new.name
        for update;
    end if;
    if claimed_version is not null then
      new.version := claimed_version;
      new.metadata := claimed_metadata;
    elsif tg_op = 'UPDATE' and new.bucket_id is distinct from old.bucket_id then
      raise exception 'An object cannot be moved to another bucket by SQL: its file would stay behind'
        using errcode = '42501', hint = 'Move it with POST /v1/storage/move.';
    elsif session_user = 'authenticator' and tg_op = 'INSERT' then
      -- Callers have no right to these columns; a view of the owner's, or a function, would give it to them.
      new.version := null;
      new.metadata := null;
    elsif session_user = 'authenticator' and new.metadata is distinct from old.metadata then
      raise exception 'The metadata of an object are written by the storage engine alone'
        using errcode = '42501', hint = 'Write user_metadata, or upload the file again.';
    elsif session_user = 'authenticator' then
      new.version := old.version;
    end if;
    if tg_op = 'UPDATE' then
      new.updated_at := now();
    end if;
    return new;
  end
  $function$;

  create function quoin.use_claim() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
  begin
    delete from quoin.storage_claims
      where id = current_setting('storage.claim', true)::uuid and bucket_id = new.bucket_id and name = new.name
        and version = new.version;
    if found then
      perform set_config('storage.object_id', new.id::text, true);
    end if;
    return null;
  end
  $function$;

  create function quoin.note_lost_versions() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
  begin
    if tg_op = 'DELETE' then
      insert into quoin.lost_versions (bucket_id, version)
        select distinct bucket_id, version from gone where version is not null
        on conflict (bucket_id, version) do update set lost_at = clock_timestamp();
    else
      insert into quoin.lost_versions (bucket_id, version)
        select bucket_id, version from gone where version is not null
        except select bucket_id, version from there where version is not null
        on conflict (bucket_id, version) do update set lost_at = clock_timestamp();
    end if;
    return null;
  end
  $function$;

  -- TRUNCATE hands over no rows, and only the owner may use it: so this runs with the owner's rights. A policy that hid
  -- rows from whoever else was given TRUNCATE is an error.
  create function quoin.note_truncated_versions() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp set row_security = off as $function$
  begin
    insert into quoin.lost_versions (bucket_id, version)
      select distinct bucket_id, version from storage.objects where version is not null
      on conflict (bucket_id, version) do update set lost_at = clock_timestamp();
    return null;
  exception when insufficient_privilege then
    raise exception 'Only the owner of storage.objects can truncate it: nobody else may note which files are lost'
      using errcode = '42501', detail = sqlerrm, hint = 'DELETE FROM storage.objects notes them, whoever''s it is.';
  end
  $function$;

  -- Triggers run by name: this one before those of users, which see the measured size and type.
  create trigger "!quoin_take_version" before insert or update on storage.objects
    for each row execute function quoin.take_version();
  create trigger use_claim after insert or update on storage.objects
    for each row when (current_setting('storage.claim', true) <> '') execute function quoin.use_claim();
  create trigger note_deleted_versions after delete on storage.objects
    referencing old table as gone for each statement execute function quoin.note_lost_versions();
  create trigger note_replaced_versions after update on storage.objects
    referencing old table as gone new table as there for each statement execute function quoin.note_lost_versions();
  create trigger note_truncated_versions before truncate on storage.objects
    for each statement execute function quoin.note_truncated_versions();

  revoke all on function quoin.take_version(), quoin.use_claim(), quoin.note_lost_versions(),
    quoin.note_truncated_versions() from public;
  -- A function can be given only to a role that may create in its schema.
  grant create on schema quoin to quoin_storage;
  alter function quoin.take_version() owner to quoin_storage;
  alter function quoin.use_claim() owner to quoin_storage;
  alter function quoin.note_lost_versions() owner to quoin_storage;
  revoke create on schema quoin from quoin_storage;
`

// Bodies that are expressions are bound to pg_catalog when they are made, and can be inlined into policies.
const CREATE_HELPERS = `
  create function storage.foldername(name text) returns text[]
    language sql immutable parallel safe
    return trim_array(string_to_array(name, '/'), least(1, cardinality(string_to_array(name, '/'))));
  create function storage.filename(name text) returns text
    language sql immutable parallel safe
    return split_part(name, '/', -1);
  create function storage.extension(name text) returns text
    language sql immutable parallel safe
    return split_part(split_part(name, '/', -1), '.', -1);
  create function storage.operation() returns text
    language sql stable parallel safe
    return current_setting('storage.operation', true);
  create function storage.allow_only_operation(expected_operation text) returns boolean
    language sql stable parallel safe
    return coalesce(expected_operation <> '' and regexp_replace(storage.operation(), '^storage[.]', '')
      = regexp_replace(expected_operation, '^storage[.]', ''), false);
  create function storage.allow_any_operation(expected_operations text[]) returns boolean
    language sql stable parallel safe
    return coalesce((select bool_or(storage.allow_only_operation(expected)) from unnest(expected_operations) expected),
      false);
  comment on function storage.foldername(text) is 'The folders of a name: {a,b} of a/b/c.txt.';
  comment on function storage.filename(text) is 'The last part of a name: c.txt of a/b/c.txt.';
  comment on function storage.extension(text) is 'What follows the last dot of the last part: txt of a/b/c.txt.';
  comment on function storage.operation() is 'What the storage API is doing, such as storage.object.upload.';

  revoke all on all functions in schema storage from public;
  grant execute on all functions in schema storage to anon, service_role;
`

const DROP_ROLE = `
  do $do$
  begin
    drop role if exists quoin_storage;
  exception when dependent_objects_still_exist or insufficient_privilege then
    raise notice 'The role quoin_storage is still in use elsewhere and stays.';
  end
  $do$
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(REFUSE_ANOTHER)
  pgm.sql(CREATE_ROLE)
  pgm.sql(CREATE_TABLES)
  pgm.sql(CREATE_RECORDS)
  pgm.sql(CREATE_TRIGGERS)
  pgm.sql(CREATE_HELPERS)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop schema storage cascade;
    drop function quoin.take_version(), quoin.use_claim(), quoin.note_lost_versions(), quoin.note_truncated_versions();
    drop table quoin.storage_claims, quoin.lost_versions;
    drop owned by quoin_storage;
  `)
  pgm.sql(DROP_ROLE)
}
