// Staging tables: how INSERTs of watched tables are recorded. Each such table has one, of the same columns: its trigger copies the
// new rows there as they are, any number of them by one statement, and the listener makes chunks of them with
// quoin.move_all_staged (0009). Making keys and JSON in the user's statement would cost it three times as much.
//
// A staging table is for one name, key and list of columns of its table. When the name or a column changes, sessions find out while
// they plan (quoin.has_shape), and inserts take the long way (0007). Within a minute quoin.watch_table (0008) has made another, also
// where the key is another one. The former one is dropped once it is empty and no statement under way may write to it.

/** Each value outside a row leaves up to 32 bytes in it, and columns of a fixed size stay: with these a row fits into a page. */
const COLUMNS_MAX = 150
const FIXED_BYTES_MAX = 2_500

// Beside the user's columns, whose names must not begin with an exclamation mark, a staging table has `!id`, `!at` and
// `!application_name`.
const CREATE_STAGING_TABLES = `
  create table quoin.staging_tables (
    name text primary key,
    table_id oid not null,
    table_schema text not null,
    table_name text not null,
    column_names text[] not null,
    is_in_use boolean not null default true
  );
  comment on table quoin.staging_tables is 'The staging tables in the schema quoin_outbox: of which table, under which name, and with which columns of it.';
  comment on column quoin.staging_tables.is_in_use is 'False once another one has taken its place, or the table is not watched for INSERT any more.';
  create index staging_tables_of_table on quoin.staging_tables (table_id);
  revoke all on quoin.staging_tables from public;

  create function quoin.column_list(names text[], prefix text) returns text
    language sql immutable set search_path = pg_catalog, pg_temp as $body$
    select string_agg(prefix || quote_ident(name), ', ' order by position) from unnest(names) with ordinality as n (name, position)
  $body$;
  comment on function quoin.column_list(text[], text) is 'Quoted names of columns for a statement, each after the prefix.';
  revoke all on function quoin.column_list(text[], text) from public;
  grant usage on sequence quoin.row_events_id_seq to quoin_outbox;
`

// Types of Postgres itself alone: what a user made may be altered, dropped or run code when it becomes JSON. And none whose text
// depends on what a name means at the moment, or on the writer's locale.
const CREATE_STAGING_NAME = `
  create function quoin.staging_name(watched oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select format('staged_%s_%s', watched, to_hex(hashtextextended(
        concat_ws(' ', format('%I.%I', n.nspname, c.relname), quoin.key_sql(watched), string_agg(format('%I %s%s', a.attname, t.oid, a.attgenerated), ' ' order by a.attnum)), 0)))
    from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type declared on declared.oid = a.atttypid
      join pg_type t on t.oid = coalesce(nullif(declared.typbasetype, 0), declared.oid)
    where c.oid = watched
    group by n.nspname, c.relname
    having bool_and(t.typtype = 'b' and t.oid < 16384 and a.attname not like '!%' and (t.typlen > 0 or t.typstorage <> 'p')
        and coalesce(nullif(t.typelem, 0), t.oid) <> all ('{money,aclitem,regclass,regcollation,regconfig,regdictionary,regnamespace,regoper,
          regoperator,regproc,regprocedure,regrole,regtype}'::regtype[]))
      and count(*) <= ${COLUMNS_MAX} and sum(greatest(t.typlen, 0)) <= ${FIXED_BYTES_MAX}
  $body$;
  comment on function quoin.staging_name(oid) is 'What the staging table of this table is called while it has this name, these columns and this key; null where it can have none.';

  revoke all on function quoin.staging_name(oid) from public;
`

// The columns have types without modifiers, of which no value could be refused. REPLICA IDENTITY: in a publication of all
// tables, rows without one could not be deleted. EXTERNAL: as in the outbox (0004).
const CREATE_STAGE = `
  create function quoin.stage_table(watched oid) returns quoin.staging_tables
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      wanted quoin.staging_tables;
      target text;
      grantee text;
    begin
      -- Name, columns and key must be of the same shape: nobody may alter the table meanwhile.
      execute format('lock table %s in access share mode', watched::regclass);
      insert into quoin.staging_tables as s (name, table_id, table_schema, table_name, column_names)
        select named.name, watched, n.nspname, c.relname,
          array(select a.attname from pg_attribute a where a.attrelid = watched and a.attnum > 0 and not a.attisdropped order by a.attnum)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join quoin.staging_name(watched) named (name)
        where c.oid = watched and named.name is not null
        on conflict (name) do update set is_in_use = true
        returning * into wanted;
      perform quoin.retire_staging(watched, wanted.name);
      if wanted.name is null then
        return null;
      end if;
      target := format('quoin_outbox.%I', wanted.name);
      if to_regclass(target) is null then
        execute format($create$create table %s (
            "!id" bigint not null default nextval('quoin.row_events_id_seq'),
            "!at" timestamptz not null default clock_timestamp(),
            "!application_name" text, %s)$create$, target,
          (select string_agg(format('%I %s', a.attname, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), -1)), ', ' order by a.attnum)
            from pg_attribute a join pg_type t on t.oid = a.atttypid
            where a.attrelid = watched and a.attnum > 0 and not a.attisdropped));
        execute format('alter table %s replica identity full%s', target,
          (select string_agg(format(', alter column %I set storage external', attname), '')
            from pg_attribute where attrelid = to_regclass(target) and attnum > 0 and attstorage = 'x'));
        -- Default privileges may have given it to anybody.
        for grantee in
          select distinct case a.grantee when 0 then 'public' else a.grantee::regrole::text end
          from pg_class c cross join aclexplode(c.relacl) a where c.oid = to_regclass(target) and a.grantee <> c.relowner
        loop
          execute format('revoke all on %s from %s', target, grantee);
        end loop;
        execute format('grant insert on %s to quoin_outbox', target);
        perform quoin.create_movers(wanted);
      end if;
      return wanted;
    end
  $body$;
  comment on function quoin.stage_table(oid) is 'Makes the staging table of a table where it has none, and answers it; null where it can have none.';

  create function quoin.retire_staging(watched oid, except_name text) returns void
    language sql volatile set search_path = pg_catalog, pg_temp as $body$
    update quoin.staging_tables set is_in_use = false
      where table_id = watched and is_in_use and name is distinct from except_name
  $body$;
`

const CREATE_HAS_STAGED_ROWS = `
  create function quoin.has_staged_rows(staging text) returns boolean
    language plpgsql stable set search_path = pg_catalog, pg_temp as $body$
    declare
      has_rows boolean;
    begin
      execute format('select exists (select from quoin_outbox.%I)', staging) into has_rows;
      return has_rows;
    end
  $body$;
  comment on function quoin.has_staged_rows(text) is 'Whether rows wait in a staging table, in the snapshot of the caller.';
  revoke all on function quoin.has_staged_rows(text) from public;
`

// A session may have begun a statement before the trigger was another, and writes to the former staging table when it ends. Such a
// statement holds a lock on the table, or on a partition. (Called before anything is retired in the same transaction.)
const CREATE_DROP_RETIRED = `
  create function quoin.drop_retired_staging(watched oid) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      retired text;
      target text;
    begin
      -- At any other level an insert that has just been committed might not be seen.
      if current_setting('transaction_isolation') <> 'read committed' then
        return;
      end if;
      for retired in select name from quoin.staging_tables where table_id = watched and not is_in_use loop
        target := format('quoin_outbox.%I', retired);
        begin
          if to_regclass(target) is not null then
            continue when quoin.has_staged_rows(retired);
            continue when exists (
              select from pg_locks l where l.database = (select oid from pg_database where datname = current_database())
                and l.pid <> pg_backend_pid() and l.mode <> 'AccessShareLock'
                and (l.relation = watched or l.relation in (select relid from pg_partition_tree(watched))));
            execute format('lock table %s in access exclusive mode nowait', target);
            continue when quoin.has_staged_rows(retired);
            execute format('drop table %s', target);
          end if;
          perform quoin.drop_movers(retired);
          delete from quoin.staging_tables where name = retired;
        exception when lock_not_available then
          null; -- Somebody reads or writes it: the next time.
        end;
      end loop;
    end
  $body$;
  comment on function quoin.drop_retired_staging(oid) is 'Drops staging tables of a table that are not in use any more, but for those that have rows or may get some.';
  revoke all on function quoin.stage_table(oid), quoin.retire_staging(oid, text), quoin.drop_retired_staging(oid) from public;
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [
    CREATE_STAGING_TABLES,
    CREATE_STAGING_NAME,
    CREATE_STAGE,
    CREATE_HAS_STAGED_ROWS,
    CREATE_DROP_RETIRED,
  ]) {
    pgm.sql(sql)
  }
}

// The staging tables themselves go with their schema (0007).
/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.drop_retired_staging(oid);
    drop function quoin.has_staged_rows(text);
    drop function quoin.stage_table(oid);
    drop function quoin.retire_staging(oid, text);
    drop function quoin.staging_name(oid);
    drop function quoin.column_list(text[], text);
    drop table quoin.staging_tables;
  `)
}
