// Webhooks, what became of their deliveries, and the outbox that row changes wait in. The triggers that fill it are made
// by 0007 and 0008. Two roles without login run what triggers do, so that a user's code in a trigger never has the owner's rights:
// `quoin_outbox` may only write the outbox and what is staged for it (0006), and `quoin_images`, as which rows become JSON (a user's cast runs there), may
// do nothing at all. Roles belong to the whole cluster: another database may have made them, or may still need them.

const CREATE_ROLES = `
  do $do$
  declare
    wanted text;
    found text;
  begin
    foreach wanted in array array['quoin_outbox', 'quoin_images'] loop
      begin
        if not exists (select from pg_roles where rolname = wanted) then
          execute format('create role %I nologin noinherit', wanted);
        end if;
      exception when duplicate_object or unique_violation then
        -- Another database of this cluster made it a moment ago.
        null;
      end;
      execute format('grant %I to current_user with inherit true, set true', wanted);
    end loop;
    select string_agg(rolname, ', ') into found from pg_roles
      where rolname in ('quoin_outbox', 'quoin_images')
        and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls or rolcanlogin);
    if found is not null then
      raise exception 'Roles that exist with more rights than Quoin gives them: %', found
        using hint = 'Alter them to NOLOGIN and nothing else, or drop them, then migrate again.';
    end if;
    select string_agg(format('%s in %s', member.rolname, granted.rolname), ', ') into found
      from pg_auth_members m
      join pg_roles member on member.oid = m.member
      join pg_roles granted on granted.oid = m.roleid
      where member.rolname in ('quoin_outbox', 'quoin_images')
        or (granted.rolname in ('quoin_outbox', 'quoin_images')
          and member.rolname in ('authenticator', 'anon', 'service_role'));
    if found is not null then
      raise exception 'Memberships that would give a user''s code more than its own rights: %', found
        using hint = 'Revoke them, then migrate again.';
    end if;
  end
  $do$
`

const CREATE_WEBHOOKS = `
  create table quoin.webhooks (
    id uuid primary key default gen_random_uuid(),
    name text not null check (name <> '' and length(name) <= 100),
    table_schema text not null,
    table_name text not null,
    table_id oid not null,
    former_table_ids oid[] not null default '{}',
    events text[] not null
      check (cardinality(events) between 1 and 3 and events <@ array['INSERT', 'UPDATE', 'DELETE']),
    url text not null,
    headers jsonb not null default '{}' check (jsonb_typeof(headers) = 'object'),
    secret_encrypted text,
    active boolean not null default true,
    fail_count integer not null default 0 check (fail_count >= 0),
    state text not null default 'healthy' check (state in ('healthy', 'failing', 'paused_by_receiver')),
    version bigint not null default 1 check (version > 0),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  comment on table quoin.webhooks is 'Who is told of which table''s changes. The table is known by its oid, so that a rename is followed; names are put right every minute, and find the table that is made anew after a drop.';
  comment on column quoin.webhooks.former_table_ids is 'Tables that are gone, while changes of theirs are in the outbox: these are still for this webhook.';
  comment on column quoin.webhooks.version is 'Grows with every change of what is sent where; whoever keeps a copy keeps the highest it has seen.';
  create index webhooks_newest_first on quoin.webhooks (created_at desc, id desc);
  create index webhooks_of_table on quoin.webhooks (table_id);

  -- One statement, hence one snapshot: a table that is gone in it has no change that will be seen only later.
  create function quoin.keep_former_tables() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      new.former_table_ids := array(
        select waiting.table_id from (
          select table_id from quoin.row_events
          union select table_id from quoin.staging_tables s where quoin.has_staged_rows(s.name)) waiting
        where waiting.table_id = any (old.former_table_ids || old.table_id)
          and not exists (select from pg_class c where c.oid = waiting.table_id)
        order by 1);
      return new;
    end
  $body$;
  revoke all on function quoin.keep_former_tables() from public;
  create trigger keep_former_tables before update of table_id on quoin.webhooks
    for each row when (old.table_id <> new.table_id) execute function quoin.keep_former_tables();

  create table quoin.webhook_registry (
    is_the_only_row boolean primary key default true check (is_the_only_row),
    version bigint not null default 1
  );
  comment on table quoin.webhook_registry is 'Grows with every change of quoin.webhooks, health aside, in the same transaction.';
  insert into quoin.webhook_registry default values;

  create function quoin.raise_webhook_registry() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      update quoin.webhook_registry set version = version + 1;
      return null;
    end
  $body$;
  revoke all on function quoin.raise_webhook_registry() from public;
  create trigger raise_webhook_registry
    after insert or delete or truncate
      or update of name, table_schema, table_name, table_id, events, url, headers, secret_encrypted, active
    on quoin.webhooks for each statement execute function quoin.raise_webhook_registry();
`

// No foreign key to the webhook: logs arrive in batches after the fact, and one of a webhook that was deleted meanwhile
// must not lose the others.
const CREATE_DELIVERIES = `
  create table quoin.webhook_deliveries (
    id uuid primary key default gen_random_uuid(),
    webhook_id uuid not null,
    event_id text,
    webhook_message_id text not null,
    event_type text not null check (event_type in ('INSERT', 'UPDATE', 'DELETE', 'TEST')),
    payload text not null,
    status_code integer,
    response_body text,
    error text,
    latency_ms integer not null check (latency_ms >= 0),
    attempt integer not null default 1 check (attempt > 0),
    replay_of uuid,
    request_id text,
    payload_error text,
    created_at timestamptz not null default clock_timestamp()
  );
  comment on table quoin.webhook_deliveries is 'One row an attempt, kept 30 days. The payload is the body as it was sent, byte for byte.';
  create index webhook_deliveries_newest_first on quoin.webhook_deliveries (webhook_id, created_at desc, id desc);
  create index webhook_deliveries_oldest on quoin.webhook_deliveries (created_at);

  create table quoin.dead_letters (
    id uuid primary key default gen_random_uuid(),
    webhook_id uuid,
    event_id text,
    reason text not null,
    payload text,
    request_id text,
    payload_error text,
    created_at timestamptz not null default clock_timestamp(),
    resolved_at timestamptz
  );
  comment on table quoin.dead_letters is 'What was given up, and why. Without a webhook: a queue message that no consumer could handle.';
  comment on column quoin.dead_letters.payload is 'The whole body or nothing.';
  create index dead_letters_newest_first on quoin.dead_letters (created_at desc, id desc);
  create index dead_letters_of_webhook on quoin.dead_letters (webhook_id, created_at desc, id desc);
  create index dead_letters_unresolved on quoin.dead_letters (webhook_id, created_at, id) where resolved_at is null;

  create table quoin.dead_letter_parts (
    dead_letter_id uuid not null references quoin.dead_letters on delete cascade,
    number integer not null,
    text text not null,
    primary key (dead_letter_id, number)
  );
  comment on table quoin.dead_letter_parts is 'What has arrived of a body that is too large for one statement, until all of it has.';
`

// docs/design/row-changes.md says what the columns mean. A trigger draws no number from a sequence: `lastval()` in its user's session would
// answer with it. A message in the WAL that nobody reads has a position of its own, which is what it is written for. EXTERNAL: compressing
// them costs the user's write more than the bytes do, which are gone within a second.
const CREATE_OUTBOX = `
  create table quoin.row_events (
    id bigint primary key default ('0/0'::pg_lsn - pg_logical_emit_message(false, 'quoin', ''))::bigint,
    table_id oid not null,
    table_schema text not null,
    table_name text not null,
    event text not null,
    occurred_at timestamptz not null default clock_timestamp(),
    application_name text,
    keys text[],
    old_keys text[],
    change_count integer not null,
    rows json[] not null,
    old_rows json[],
    errors text[]
  );
  comment on table quoin.row_events is 'The outbox: chunks of row changes, written by triggers in the user''s transaction or made of what they staged, deleted once every webhook has stored them.';
  comment on column quoin.row_events.id is 'Negative until quoin.move_all_staged has numbered the chunk: then its position in the WAL, negated.';
  create sequence quoin.row_events_id_seq owned by quoin.row_events.id;
  alter table quoin.row_events
    alter column rows set storage external,
    alter column old_rows set storage external,
    alter column keys set storage external,
    alter column old_keys set storage external;

  revoke all on quoin.webhooks, quoin.webhook_registry, quoin.webhook_deliveries, quoin.dead_letters,
    quoin.dead_letter_parts, quoin.row_events from public;
  grant usage on schema quoin to quoin_outbox;
  grant insert on quoin.row_events to quoin_outbox;
`

// Images are cast to text and never parsed: what Postgres took from the writer, nested to the limit of its stack, it may not
// take again from here. (The SET keeps the function from being inlined, which Postgres 18.4 cannot plan everywhere.)
const CREATE_CHANGES_IN = `
  create function quoin.changes_in(chunk quoin.row_events)
    returns table (ordinal int, key text, old_key text, new text, old text, error text)
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select change.ordinal::int, change.key, nullif(change.old_key, change.key),
      case when change.error is null then change.new::text end,
      case when change.error is null then case chunk.event when 'DELETE' then change.new else change.old end::text end,
      change.error
    from unnest(chunk.rows, chunk.old_rows, chunk.keys, chunk.old_keys, chunk.errors) with ordinality
      as change (new, old, key, old_key, error, ordinal)
  $body$;
  comment on function quoin.changes_in(quoin.row_events) is 'A chunk''s changes, the first of them 1; images are JSON texts. old_key: the key before, where an UPDATE changed it.';
  revoke all on function quoin.changes_in(quoin.row_events) from public;

  create function quoin.changes_json(chunk quoin.row_events) returns json
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select json_agg(
      json_build_object('key', key, 'old_key', old_key, 'row', new, 'old_row', old, 'error', error) order by ordinal)
    from quoin.changes_in(chunk)
  $body$;
  comment on function quoin.changes_json(quoin.row_events) is 'A chunk''s changes as messages carry them: an array of {key, old_key, row, old_row, error}.';
  revoke all on function quoin.changes_json(quoin.row_events) from public;
`

const CREATE_UNWATCHABLE_REASON = `
  create function quoin.unwatchable_reason(wanted oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select case
      when c.oid is null then 'it does not exist'
      when n.nspname in ('quoin', 'quoin_outbox', 'quoin_staging', 'information_schema') or n.nspname like 'pg\\_%'
        or (n.nspname = 'public' and c.relname = 'pgmigrations') then 'it belongs to the platform'
      when c.relkind not in ('r', 'p') then 'it is no ordinary or partitioned table'
      when c.relpersistence = 't' then 'it is temporary'
      when not pg_has_role(c.relowner, 'usage') then format('it belongs to the role %s', c.relowner::regrole)
    end
    from (select wanted) w left join pg_class c on c.oid = wanted left join pg_namespace n on n.oid = c.relnamespace
  $body$;
  comment on function quoin.unwatchable_reason(oid) is 'Why a table cannot be watched; null when it can.';
  revoke all on function quoin.unwatchable_reason(oid) from public;
`

const DROP_ROLES = `
  do $do$
  begin
    begin
      drop role if exists quoin_images;
      drop role if exists quoin_outbox;
    exception when dependent_objects_still_exist or insufficient_privilege then
      raise notice 'The roles quoin_outbox and quoin_images are still in use elsewhere and stay.';
    end;
  end
  $do$
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [
    CREATE_ROLES,
    CREATE_WEBHOOKS,
    CREATE_DELIVERIES,
    CREATE_OUTBOX,
    CREATE_CHANGES_IN,
    CREATE_UNWATCHABLE_REASON,
  ])
    pgm.sql(sql)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.unwatchable_reason(oid);
    drop function quoin.changes_json(quoin.row_events);
    drop function quoin.changes_in(quoin.row_events);
    drop table quoin.row_events;
    drop table quoin.dead_letter_parts;
    drop table quoin.dead_letters;
    drop table quoin.webhook_deliveries;
    drop table quoin.webhook_registry;
    drop table quoin.webhooks;
    drop function quoin.raise_webhook_registry();
    drop function quoin.keep_former_tables();
    drop owned by quoin_outbox, quoin_images;
  `)
  pgm.sql(DROP_ROLES)
}
