// Staging tables: how INSERTs of watched tables are recorded. Each such table has one, of the same columns: its trigger copies the
// new rows there as they are, any number of them by one statement, and the listener makes chunks of them with
// quoin.move_all_staged (0009). Making keys and JSON in the user's statement would cost it three times as much.
//
// A staging table is for one name, key and list of columns of its table. When the name or a column changes, sessions find out while
// they plan (quoin.has_shape), and inserts take the long way (0007). Within a minute quoin.watch_table (0008) has made another, also
// where the key is another one. The former one is dropped once it is empty and no statement under way may write to it.

const {
  CHUNK_BYTES,
  CHUNK_ROWS_MAX,
  IMAGE_BYTES_MAX,
  TOO_LARGE,
  templateOf,
} = require('./0005_create-row-change-recorders.cjs')

/** Each value outside a row leaves up to 32 bytes in it, and columns of a fixed size stay: with these a row fits into a page. */
const COLUMNS_MAX = 150
const FIXED_BYTES_MAX = 2_500
/** What is moved at a time: as JSON it may be many times as much. */
const PART_BYTES = 4_000_000
/** No position in the WAL comes after this one. */
const POSITION_MAX = `'FFFFFFFF/FFFFFFFF'::pg_lsn`

// Beside the user's columns, whose names must not begin with an exclamation mark, a staging table has `!position`, `!at` and
// `!application_name`.
//
// They have a schema of the owner's, since the owner runs what is in it: the role `quoin_outbox` may do as it likes in its own.
const CREATE_STAGING_TABLES = `
  create schema quoin_staging;
  comment on schema quoin_staging is 'What inserts into watched tables have staged, and the functions that move it to the outbox.';
  revoke all on schema quoin_staging from public;
  grant usage on schema quoin_staging to quoin_outbox;

  create table quoin.staging_tables (
    name text primary key,
    table_id oid not null,
    table_schema text not null,
    table_name text not null,
    key_sql text not null,
    bytes_sql text not null,
    column_names text[] not null,
    is_in_use boolean not null default true
  );
  comment on table quoin.staging_tables is 'The staging tables in the schema quoin_staging: of which table, and how its keys and rows are read.';
  comment on column quoin.staging_tables.is_in_use is 'False once another one has taken its place, or the table is not watched for INSERT any more.';
  create index staging_tables_of_table on quoin.staging_tables (table_id);
  revoke all on quoin.staging_tables from public;

  create function quoin.column_list(names text[], prefix text) returns text
    language sql immutable set search_path = pg_catalog, pg_temp as $body$
    select string_agg(prefix || quote_ident(name), ', ' order by position) from unnest(names) with ordinality as n (name, position)
  $body$;
  comment on function quoin.column_list(text[], text) is 'Quoted names of columns for a statement, each after the prefix.';
  revoke all on function quoin.column_list(text[], text) from public;
`

// Types of Postgres itself alone: what a user made may be altered, dropped or run code when it becomes JSON. And none whose text
// depends on what a name means at the moment, or on the writer's locale.
const CREATE_STAGING_NAME = `
  create function quoin.staging_name(watched oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select format('staged_%s_%s', watched, left(encode(sha256(convert_to(concat_ws(' ', format('%I.%I', n.nspname, c.relname),
        quoin.key_sql(watched), string_agg(format('%I %s%s', a.attname, t.oid, a.attgenerated), ' ' order by a.attnum)), 'UTF8')), 'hex'), 32))
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

// Each staging table has two functions of its own, beside it: their statements name its columns and stay
// planned in the listener's session, which asks for generic plans. Planned anew for each look, they would cost it 0.8 to 1.6 ms for
// each table that was written to. They have no settings of their own: only quoin.move_all_staged (0009) calls them, under its own.

/**
 * What is moved next of the rows before a position (null: of all): at most so many, and no more bytes than PART_BYTES but for the last one. Nulls
 * when nothing is staged there.
 */
const PART_SOURCE = `
  declare
    highest pg_lsn;
    all_bytes bigint;
  begin
    select min(r."!position"), max(r."!position"), count(*) into first_position, highest, row_count
      from quoin_staging.{staging} r where r."!position" < coalesce($2, ${POSITION_MAX});
    last_position := highest;
    if row_count > $1 then
      select max(p.position) into last_position from (
        select r."!position" as position from quoin_staging.{staging} r where r."!position" < coalesce($2, ${POSITION_MAX})
          order by 1 limit $1) p;
    end if;
    if row_count > 1 then
      select sum(p.bytes) into all_bytes from (select r."!position" as position, {bytes} as bytes from quoin_staging.{staging} r) p
        where p.position <= last_position;
    end if;
    if all_bytes > ${PART_BYTES} or row_count > $1 then
      select max(p.position), count(*) into last_position, row_count from (
        select s.position, sum(s.bytes) over (order by s.position) - s.bytes as bytes_before
        from (select r."!position" as position, {bytes} as bytes from quoin_staging.{staging} r) s
        where s.position <= last_position
      ) p where p.bytes_before < ${PART_BYTES};
    end if;
    has_more := highest > last_position;
  end
`

/**
 * Moves the rows up to a position to the outbox; with a failure, that in place of their images. A chunk is of rows of one transaction and one
 * application_name that were written within a second, with no other chunk of the table in between ($3: the positions of those without a number), so that what
 * the chunk says is true of all. Without $3 nothing else of the table waits for a number: then the chunks get theirs at once.
 * Parameters go by their numbers: a user's column may have any name.
 */
const MOVE_SOURCE = `
  begin
    insert into quoin.row_events (id, table_id, event, table_schema, table_name, occurred_at, application_name, keys, change_count, rows, errors)
    select case when $3 is null then nextval('quoin.row_events_id_seq') else '0/0'::pg_lsn - chunk.position end,
      {table_id}, 'INSERT', {table_schema}, {table_name}, chunk.occurred_at, chunk.application_name, chunk.keys, chunk.change_count, chunk.rows,
      chunk.errors
    from (
      select batch.positions[made.first] as position, batch.occurred_at, batch.application_name,
        case when batch.keys[1] is not null then batch.keys[made.first:made.last] end as keys, made.last - made.first + 1 as change_count, made.rows,
        case when batch.has_images then made.errors else array_fill(coalesce($2, '${TOO_LARGE}'), array[batch.change_count]) end as errors
      from (
        select min(c.occurred_at) as occurred_at, min(c.application_name) as application_name, array_agg(c.position order by c.position) as positions,
          array_agg(c.key order by c.position) as keys, array_agg(c.image order by c.position) as rows,
          -- A null of the same type, which make_images asks for.
          array_agg(c.image) filter (where false) as old_rows,
          count(*)::int as change_count, count(c.image) = count(*) as has_images
        from (
          select s.*, (row_number() over (partition by s.run order by s.position) - 1)
              / greatest(1, least(${CHUNK_ROWS_MAX}, ${CHUNK_BYTES} / greatest(1, max(s.bytes) over (partition by s.run)))) as part,
            trunc(extract(epoch from s.occurred_at - min(s.occurred_at) over (partition by s.run))) as second
          from (select s.*, count(*) filter (where s.begins_run) over (order by s.position) as run
            from (
              select r."!position" as position, r."!at" as occurred_at, r."!application_name" as application_name, {key} as key, {bytes} as bytes,
                case when {bytes} <= ${IMAGE_BYTES_MAX} and $2 is null then coalesce(image.*) end as image,
                row(r.xmin::text, r."!application_name", width_bucket(r."!position", coalesce($3, '{}')))
                  is distinct from row(lag(r.xmin::text) over by_position, lag(r."!application_name") over by_position,
                    lag(width_bucket(r."!position", coalesce($3, '{}'))) over by_position) as begins_run
              from quoin_staging.{staging} r cross join lateral (select {columns}) image
              where r."!position" <= $1
              window by_position as (order by r."!position")
            ) s
          ) s
        ) c
        group by c.run, c.second, c.part
      ) batch cross join lateral quoin.make_images(batch) made
      order by 1
    ) chunk;
    delete from quoin_staging.{staging} r where r."!position" <= $1;
  end
`

const MOVER_PLACES = ['staging', 'key', 'bytes', 'columns', 'table_id', 'table_schema', 'table_name']

const CREATE_MOVERS = `
  create function quoin.write_mover(mover text, declaration text, source text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      if source is distinct from (select prosrc from pg_proc where oid = to_regproc(mover)) then
        execute format('create or replace function %s%s language plpgsql as %L', mover, declaration, source);
        execute format('revoke all on function %s from public', mover);
      end if;
    end
  $body$;

  create function quoin.write_movers(staging quoin.staging_tables) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      places constant text[] := array[quote_ident(staging.name), staging.key_sql, staging.bytes_sql, quoin.column_list(staging.column_names, 'r.'),
        staging.table_id::text, quote_literal(staging.table_schema), quote_literal(staging.table_name)];
    begin
      perform quoin.write_mover(format('quoin_staging.%I', 'part_of_' || staging.name),
        '(rows_max int, before pg_lsn, out first_position pg_lsn, out last_position pg_lsn, out row_count int, out has_more boolean)',
        format($source$${templateOf(PART_SOURCE, MOVER_PLACES)}$source$, variadic places));
      perform quoin.write_mover(format('quoin_staging.%I', 'move_' || staging.name),
        '(up_to pg_lsn, failure text, other_chunks pg_lsn[]) returns void',
        format($source$${templateOf(MOVE_SOURCE, MOVER_PLACES)}$source$, variadic places));
    end
  $body$;
  comment on function quoin.write_movers(quoin.staging_tables) is 'Makes the functions with which the rows of a staging table are moved, where they are not what they should be: part_of_... says which rows are next, move_... moves them.';

  create function quoin.drop_movers(staging text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      execute format('drop function if exists quoin_staging.%I, quoin_staging.%I', 'part_of_' || staging, 'move_' || staging);
    end
  $body$;
  revoke all on function quoin.write_mover(text, text, text), quoin.write_movers(quoin.staging_tables), quoin.drop_movers(text) from public;
`

// The columns have types without modifiers, of which no value could be refused. REPLICA IDENTITY: in a publication of all
// tables, rows without one could not be deleted. EXTERNAL: as in the outbox (0004).
const CREATE_STAGE = `
  create function quoin.stage_table(watched oid) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      wanted quoin.staging_tables;
      target text;
      grantee text;
    begin
      insert into quoin.staging_tables as s (name, table_id, table_schema, table_name, key_sql, bytes_sql, column_names)
        select named.name, watched, n.nspname, c.relname, coalesce(quoin.key_sql(watched), 'null::text'),
          '(0::bigint + ' || quoin.row_bytes_sql(watched) || ')',
          array(select a.attname from pg_attribute a where a.attrelid = watched and a.attnum > 0 and not a.attisdropped order by a.attnum)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join quoin.staging_name(watched) named (name)
        where c.oid = watched and named.name is not null
        on conflict (name) do update set is_in_use = true, key_sql = excluded.key_sql, bytes_sql = excluded.bytes_sql
        returning * into wanted;
      perform quoin.retire_staging(watched, wanted.name);
      if wanted.name is null then
        return;
      end if;
      target := format('quoin_staging.%I', wanted.name);
      if to_regclass(target) is null then
        execute format($create$create table %s (
            "!position" pg_lsn not null default pg_logical_emit_message(false, 'quoin', ''),
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
      end if;
    end
  $body$;
  comment on function quoin.stage_table(oid) is 'Makes the staging table of a table where it has none and can have one, and retires any other. The caller holds the table still.';

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
      execute format('select exists (select from quoin_staging.%I)', staging) into has_rows;
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
        target := format('quoin_staging.%I', retired);
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
    CREATE_MOVERS,
    CREATE_STAGE,
    CREATE_HAS_STAGED_ROWS,
    CREATE_DROP_RETIRED,
  ]) {
    pgm.sql(sql)
  }
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.drop_retired_staging(oid);
    drop function quoin.has_staged_rows(text);
    drop function quoin.stage_table(oid);
    drop function quoin.retire_staging(oid, text);
    drop function quoin.drop_movers(text);
    drop function quoin.write_movers(quoin.staging_tables);
    drop function quoin.write_mover(text, text, text);
    drop function quoin.staging_name(oid);
    drop function quoin.column_list(text[], text);
    drop table quoin.staging_tables;
    drop schema quoin_staging cascade;
  `)
}
