// The outbox that row changes wait in, and the one way into it. docs/design/row-changes.md says what the columns mean.
//
// Triggers run with the rights of whoever writes, and so does a user's code that they meet (a cast to json). They hand
// finished JSON to quoin.append_chunk, which alone has the right to write here and runs nobody's code. Everybody may
// call it, so it believes nothing: what it is given is bounded, and it finds out time, place and names by itself.

const CHUNK_CHANGES_MAX = 1_000
/** Two images of 64 MiB, and more. What triggers hand over is always less. */
const CHUNK_BYTES_MAX = 160 * 1024 * 1024
/**
 * Keys and errors go wherever a chunk is told of, escaped six times as long, and 16 MiB are the most that is
 * answered.
 */
const KEYS_AND_ERRORS_BYTES_MAX = 2_000_000

// Roles belong to the whole cluster: another database may have made this one, or may still need it.
const CREATE_ROLE = `
  do $do$
  begin
    begin
      if not exists (select from pg_roles where rolname = 'quoin_outbox') then
        create role quoin_outbox nologin noinherit;
      end if;
    exception when duplicate_object or unique_violation then
      null; -- Another database of this cluster made it a moment ago.
    end;
    grant quoin_outbox to current_user with inherit true, set true;
    if exists (select from pg_roles where rolname = 'quoin_outbox'
        and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls or rolcanlogin)) then
      raise exception 'The role quoin_outbox exists with more rights than Quoin gives it'
        using hint = 'Alter it to NOLOGIN and nothing else, or drop it, then migrate again.';
    end if;
    if exists (select from pg_auth_members
        where member = 'quoin_outbox'::regrole or (roleid = 'quoin_outbox'::regrole
          and member in (select oid from pg_roles where rolname in ('authenticator', 'anon', 'service_role')))) then
      raise exception 'Memberships would give callers, or the role quoin_outbox, more than their own rights'
        using hint = 'Revoke every role from quoin_outbox, and quoin_outbox from callers, then migrate again.';
    end if;
  end
  $do$
`

// A sequence would draw a number that `lastval()` answers with in the writer's session. A message in the WAL that
// nobody reads has a place of its own instead. It is a transactional one: that gives the transaction its number first,
// which the listener's floor needs. EXTERNAL: compressing costs the user's write more than bytes do.
const CREATE_OUTBOX = `
  create table quoin.row_events (
    id bigint primary key default (pg_logical_emit_message(true, 'quoin', '') - '0/0'::pg_lsn)::bigint,
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
  comment on table quoin.row_events is 'The outbox: chunks of row changes, written in the user''s transaction, '
    'deleted once every webhook has stored them.';
  comment on column quoin.row_events.id is 'The position in the WAL at which the chunk was written.';
  alter table quoin.row_events
    alter column rows set storage external,
    alter column old_rows set storage external,
    alter column keys set storage external,
    alter column old_keys set storage external;

  create table quoin.listener_state (
    is_the_only_row boolean primary key default true check (is_the_only_row),
    is_resting boolean not null default false
  );
  comment on table quoin.listener_state is 'While the listener rests, each commit of a change wakes it by NOTIFY.';
  insert into quoin.listener_state default values;

  revoke all on quoin.row_events, quoin.listener_state from public;
  grant usage on schema quoin to quoin_outbox;
  grant insert on quoin.row_events to quoin_outbox;
  grant select on quoin.listener_state to quoin_outbox;
  grant select (table_id, table_schema, table_name) on quoin.webhooks to quoin_outbox;
`

// Of a table without a webhook nothing is recorded. A transaction above READ COMMITTED may not see a webhook that is
// there: its chunks are recorded, and the consumer finds out. After a restore, until repairWatches has run, the oid is
// one that Postgres does not know: then the names are those that the webhook knows.
const CREATE_APPEND_CHUNK = `
  create function quoin.append_chunk(
      watched oid, event text, keys text[], old_keys text[], rows json[], old_rows json[], errors text[]) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      change_count constant int := cardinality(rows);
      known record;
      names text[];
    begin
      if event in ('INSERT', 'UPDATE', 'DELETE') is not true
        or change_count between 1 and ${CHUNK_CHANGES_MAX} is not true
        or change_count <> any (
          array[cardinality(keys), cardinality(old_keys), cardinality(old_rows), cardinality(errors)])
        or array_position(keys || old_keys, null) is not null
        or pg_column_size(row(rows, old_rows)) > ${CHUNK_BYTES_MAX}
        or pg_column_size(row(keys, old_keys, errors)) > ${KEYS_AND_ERRORS_BYTES_MAX}
      then
        raise exception 'quoin.append_chunk was called with what is no chunk'
          using errcode = '22023',
            hint = 'Only triggers of watched tables need to call it (docs/design/row-changes.md).';
      end if;
      select w.table_schema, w.table_name, (select s.is_resting from quoin.listener_state s) into known
        from (select) one left join quoin.webhooks w on w.table_id = watched limit 1;
      if known.table_name is null and current_setting('transaction_isolation') like 'read %' then
        return;
      end if;
      names := case watched::regclass::text when watched::text then array[known.table_schema, known.table_name]
        else parse_ident(watched::regclass::text) end;
      if names[2] is null then
        return; -- Nobody knows such a table.
      end if;
      insert into quoin.row_events (table_id, table_schema, table_name, event, application_name,
          keys, old_keys, change_count, rows, old_rows, errors)
        values (watched, names[1], names[2], append_chunk.event, current_setting('application_name'),
          append_chunk.keys, append_chunk.old_keys, change_count, append_chunk.rows, append_chunk.old_rows,
          append_chunk.errors);
      if known.is_resting and current_setting('max_prepared_transactions') = '0' then
        perform pg_notify('quoin_row_events', '');
      end if;
    end
  $body$;
  comment on function quoin.append_chunk(oid, text, text[], text[], json[], json[], text[]) is
    'Writes a chunk of changes of a watched table to the outbox; of any other table, nothing.';

  -- A function can be given only to a role that may create in its schema.
  grant create on schema quoin to quoin_outbox;
  alter function quoin.append_chunk(oid, text, text[], text[], json[], json[], text[]) owner to quoin_outbox;
  revoke create on schema quoin from quoin_outbox;
  grant usage on schema quoin to public;
  grant execute on function quoin.append_chunk(oid, text, text[], text[], json[], json[], text[]) to public;
`

// Images are cast to text and never parsed: what Postgres took from the writer, nested to the limit of its stack, it
// may not take again from here. (The SET keeps Postgres 18.4 from inlining, which it cannot plan everywhere.)
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
  comment on function quoin.changes_in(quoin.row_events) is
    'A chunk''s changes, the first of them 1; images are JSON texts. old_key: before an UPDATE that changed it.';

  create function quoin.changes_json(chunk quoin.row_events) returns json
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select json_agg(
      json_build_object('key', key, 'old_key', old_key, 'row', new, 'old_row', old, 'error', error) order by ordinal)
    from quoin.changes_in(chunk)
  $body$;
  comment on function quoin.changes_json(quoin.row_events) is
    'A chunk''s changes as messages carry them: an array of {key, old_key, row, old_row, error}.';

  create function quoin.oldest_waiting_change() returns timestamptz
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select occurred_at from quoin.row_events order by id limit 1
  $body$;
  comment on function quoin.oldest_waiting_change() is
    'When the change was made that has waited longest for the listener and the Worker; null: none waits.';
  revoke all on function quoin.changes_in(quoin.row_events), quoin.changes_json(quoin.row_events),
    quoin.oldest_waiting_change() from public;
`

// One statement, hence one snapshot: a table that is gone in it has no change that will be seen only later.
const CREATE_KEEP_FORMER_TABLES = `
  create function quoin.keep_former_tables() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      new.former_table_ids := array(
        select distinct e.table_id from quoin.row_events e
        where e.table_id = any (old.former_table_ids || old.table_id)
          and not exists (select from pg_class c where c.oid = e.table_id)
        order by 1);
      return new;
    end
  $body$;
  revoke all on function quoin.keep_former_tables() from public;
  create trigger keep_former_tables before update of table_id on quoin.webhooks
    for each row when (old.table_id <> new.table_id) execute function quoin.keep_former_tables();
`

const DROP_ROLE = `
  do $do$
  begin
    drop role if exists quoin_outbox;
  exception when dependent_objects_still_exist or insufficient_privilege then
    raise notice 'The role quoin_outbox is still in use elsewhere and stays.';
  end
  $do$
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [
    CREATE_ROLE,
    CREATE_OUTBOX,
    CREATE_APPEND_CHUNK,
    CREATE_CHANGES_IN,
    CREATE_KEEP_FORMER_TABLES,
  ]) {
    pgm.sql(sql)
  }
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop trigger keep_former_tables on quoin.webhooks;
    drop function quoin.keep_former_tables();
    drop function quoin.oldest_waiting_change();
    drop function quoin.changes_json(quoin.row_events);
    drop function quoin.changes_in(quoin.row_events);
    drop function quoin.append_chunk(oid, text, text[], text[], json[], json[], text[]);
    drop table quoin.listener_state;
    drop table quoin.row_events;
    revoke usage on schema quoin from public;
    drop owned by quoin_outbox;
  `)
  pgm.sql(DROP_ROLE)
}
