// Watching: the one trigger function that records the changes of every watched table, and what puts triggers on tables.
//
// PL/pgSQL compiles a trigger function once for each trigger, so its statements about `changed` fit every table. The
// arguments of a trigger are the oid of the watched table and the columns of its primary key, and behind them an empty
// one where the table has virtual columns. The function runs with the rights of whoever writes. Its settings give keys
// and images the same texts in every session.

/** Rows that become JSON together, and the bytes of their values; of rows that are larger, each goes alone. */
const BATCH_ROWS_MAX = 1_000
const BATCH_BYTES = 1_000_000
/** JSON of several rows in one chunk. Some values are much larger as JSON: their rows go one by one. */
const CHUNK_IMAGES_BYTES = 4_000_000
/** A larger image is not made: the change is recorded with its key and the reason. */
const IMAGE_BYTES_MAX = 64 * 1024 * 1024
/** Beyond it, the whole table is one key: quoin.append_chunk takes no more. */
const KEYS_BYTES_MAX = 1_000_000

/** JSON of the rows that are next. (Directly in FROM, `unnest` would take each row apart to put it together again.) */
const imagesOf = rows =>
  `array(select row_to_json(r.one) from (select unnest(${rows}[first : first + size - 1]) as one) r)`
/** The same, without virtual columns where there are any: triggers see no value of them. */
const storedImagesOf = (rows, images) => `
            if images_sql is null then
              ${images} := ${imagesOf(rows)};
            else
              execute images_sql into ${images} using ${rows}[first : first + size - 1];
            end if;`

/** Calls of quoin.key_of would cost a bulk insert as much again; `[null]` is a column that is not there any more. */
const keysOf = images => `array(
                select case cardinality(key_columns) when 1 then json_build_array(image ->> key_columns[1])::text
                  else quoin.key_of(image, key_columns) end
                from unnest(${images}) image)`

/** Keys of a batch from the key columns alone. A row trigger has its one row in the batch, and no transition table. */
const keysAlone = (table, rows, keys) => `
                execute format(
                  'select array_agg(quoin.key_of(row_to_json(coalesce(k.*)), $1))
                    from (select %s from %s r offset $2 limit $3) k',
                  (select string_agg(format('r.%I', name), ', ') from unnest(key_columns) name),
                  case tg_level when 'ROW' then '(select ($4).*)' else '${table}' end)
                  into ${keys} using key_columns, done, cardinality(${rows}), ${rows}[1];`

/**
 * Rows, each with its number and with the bytes of all up to it. A small row counts so many that BATCH_ROWS_MAX fill a
 * batch. `coalesce(r.*)` is a row as one value, also where a column is called r.
 */
const numbered = table => `
              select coalesce(r.*) as one, row_number() over up_to_here as n,
                sum(greatest(pg_column_size(coalesce(r.*)), ${BATCH_BYTES / BATCH_ROWS_MAX}))
                  over up_to_here - 1 as bytes
              from ${table} r window up_to_here as (rows unbounded preceding)`

const CREATE_KEY_OF = `
  create function quoin.key_of(image json, key_columns text[]) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $body$
    declare
      parts constant text[] := array(select image ->> name from unnest(key_columns) name);
    begin
      return case when parts <> '{}' and array_position(parts, null) is null then array_to_json(parts) end;
    end
  $body$;
  comment on function quoin.key_of(json, text[]) is
    'The key of a row: a JSON array of texts. Null: there are no such columns, or one is not there any more.';
  grant execute on function quoin.key_of(json, text[]) to public;
`

// Nothing is written in a block that catches errors: thousands of subtransactions that wrote would slow everybody down.
// `others` leaves out assertions, and a cancel, which ends the write as it should. Without the last SET the plan for an
// UPDATE of one row, a nested loop, would be kept for one of many.
const CREATE_RECORD_CHANGES = `
  create function quoin.record_changes() returns trigger
    language plpgsql
    set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO' set intervalstyle = 'postgres'
    set bytea_output = 'hex' set extra_float_digits = 1 set enable_nestloop = off as $body$
    #variable_conflict use_column
    declare
      watched constant oid := tg_argv[0];
      key_columns constant text[] := array_remove(tg_argv[1:], '');
      -- Null where no column is virtual.
      images_sql text;
      batches refcursor;
      batch record;
      first int;
      size int;
      images json[];
      old_images json[];
      keys text[];
      old_keys text[];
      -- For rows that go one by one.
      is_slow boolean;
      keys_alone text[];
      old_keys_alone text[];
      done int := 0;
      failure text;
    begin
      if watched <> tg_relid and watched not in (select pg_partition_ancestors(tg_relid))
        and exists (select from pg_class where oid = watched)
      then
        return null; -- A restore has given the oid to another table: repairWatches makes another trigger.
      end if;
      if '' = any (tg_argv[1:]) then
        images_sql := (select format('select array(select row_to_json(k) from (select %s from unnest($1) r) k)',
            string_agg(format('r.%I', a.attname), ', ' order by a.attnum))
          from pg_attribute a
          where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped and a.attgenerated <> 'v');
      end if;
      case tg_level || ' ' || tg_op
        when 'ROW INSERT' then open batches for select array[new] as rows, null as old_rows;
        when 'ROW UPDATE' then open batches for select array[new] as rows, array[old] as old_rows;
        when 'ROW DELETE' then open batches for select array[old] as rows, null as old_rows;
        when 'STATEMENT UPDATE' then
          -- Postgres keeps the new rows and the old ones in the same order.
          open batches for
            select array_agg(new_row.one order by n) as rows, array_agg(old_row.one order by n) as old_rows
            from (${numbered('changed')}) new_row join (${numbered('former')}) old_row using (n)
            group by (new_row.bytes + old_row.bytes) / ${2 * BATCH_BYTES}
            order by (new_row.bytes + old_row.bytes) / ${2 * BATCH_BYTES};
        else
          open batches for
            select array_agg(one order by bytes) as rows, null as old_rows from (${numbered('changed')}) numbered
            group by bytes / ${BATCH_BYTES} order by bytes / ${BATCH_BYTES};
      end case;
      loop
        begin
          fetch batches into batch;
        exception when others or assert_failure then
          -- The rows cannot be read again: one has more than 1 GB, or lies on a broken page.
          failure := left(sqlerrm, 200);
          size := 1;
          if tg_level = 'STATEMENT' then
            size := (select count(*) from changed);
          end if;
          for first in done + 1 .. size by ${BATCH_ROWS_MAX} loop
            perform quoin.append_chunk(watched, tg_op, null, null,
              array_fill(null::json, array[least(size - first + 1, ${BATCH_ROWS_MAX})]), null,
              array_fill(failure, array[least(size - first + 1, ${BATCH_ROWS_MAX})]));
          end loop;
          exit;
        end;
        exit when not found;
        first := 1;
        size := cardinality(batch.rows);
        is_slow := false;
        while first <= cardinality(batch.rows) loop
          begin
            failure := null;${storedImagesOf('batch.rows', 'images')}
            if tg_op = 'UPDATE' then${storedImagesOf('batch.old_rows', 'old_images')}
            end if;
            if greatest(pg_column_size(images), pg_column_size(old_images)) > ${IMAGE_BYTES_MAX}
              or (size > 1 and pg_column_size(images) + coalesce(pg_column_size(old_images), 0) > ${CHUNK_IMAGES_BYTES})
            then
              raise exception 'the row is larger than ${IMAGE_BYTES_MAX} bytes as JSON';
            end if;
            if not is_slow then
              keys := ${keysOf('images')};
              old_keys := case when tg_op = 'UPDATE' then ${keysOf('old_images')} end;
            end if;
          exception when others or assert_failure then
            if not is_slow then
              -- One by one, with keys that are made of the key columns alone.
              is_slow := true;
              size := 1;
              begin${keysAlone('changed', 'batch.rows', 'keys_alone')}
                if tg_op = 'UPDATE' then${keysAlone('former', 'batch.old_rows', 'old_keys_alone')}
                end if;
              exception when others or assert_failure then
                keys_alone := null;
              end;
              continue;
            end if;
            failure := left(sqlerrm, 500);
            images := '{null}';
            old_images := null;
          end;
          if is_slow then
            keys := keys_alone[first:first];
            old_keys := old_keys_alone[first:first];
          end if;
          if array_position(keys || old_keys, null) is not null or '[null]' = any (keys || old_keys)
            or pg_column_size(keys || old_keys) > ${KEYS_BYTES_MAX}
          then
            keys := null; -- The whole table is one key.
          end if;
          perform quoin.append_chunk(watched, tg_op, keys, case when old_keys <> keys then old_keys end,
            images, old_images, case when failure is not null then array[failure] end);
          first := first + size;
        end loop;
        done := done + cardinality(batch.rows);
      end loop;
      close batches;
      return null;
    end
  $body$;
  comment on function quoin.record_changes() is
    'Records what a trigger saw, by quoin.append_chunk. Arguments: the watched table, the columns of its key.';
  -- Whoever makes a partition of a watched table makes its triggers too.
  grant execute on function quoin.record_changes() to public;
`

// Statement triggers fire after every row trigger, and only for statements that name the table itself. Rows reach a
// partition and a child without one. Beside another AFTER ROW trigger, or a foreign key that changes rows in turn, a
// statement trigger would record in the wrong order: what those cause before what caused it. And where one statement
// does several things, a key is let go before it is taken: beside row triggers for INSERT those for UPDATE and DELETE
// are row triggers too. Rows of a transition table have no type by which a virtual column could be left out.
const CREATE_NEEDS_ROW_TRIGGER = `
  create function quoin.needs_row_trigger(watched oid, event text) returns boolean
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select exists (select from pg_class where oid = watched and (relkind = 'p' or relispartition))
      or exists (select from pg_inherits where watched in (inhparent, inhrelid))
      or exists (select from pg_attribute where attrelid = watched and attgenerated = 'v' and not attisdropped)
      or exists (
        select from pg_trigger g join pg_proc p on p.oid = g.tgfoid
        where g.tgrelid = watched and g.tgenabled <> 'D' and g.tgfoid <> 'quoin.record_changes()'::regprocedure
          -- Bits of tgtype: 1 row, 2 before, 64 instead of; 4 insert, 8 delete, 16 update.
          and g.tgtype & 67 = 1 and g.tgtype & case event when 'INSERT' then 4 when 'UPDATE' then 20 else 28 end <> 0
          and (not g.tgisinternal or p.proname ~ '^RI_FKey_(cascade|setnull|setdefault)_')
      )
  $body$;
  revoke all on function quoin.needs_row_trigger(oid, text) from public;
`

// Named to fire before all other triggers, so that what those do is recorded later. The text is that of
// pg_get_triggerdef: what is different in any way is made again.
const CREATE_WANTED_TRIGGERS = `
  create function quoin.wanted_triggers(watched oid, events text[]) returns table (name text, definition text)
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select made.name, format('CREATE TRIGGER %I AFTER %s ON %s %s EXECUTE FUNCTION quoin.record_changes(%s)',
      made.name, event, watched::regclass,
      case
        when quoin.needs_row_trigger(watched, event) then 'FOR EACH ROW'
        else format('REFERENCING %s FOR EACH STATEMENT', case event when 'INSERT' then 'NEW TABLE AS changed'
          when 'DELETE' then 'OLD TABLE AS changed' else 'OLD TABLE AS former NEW TABLE AS changed' end)
      end, arguments.quoted)
    from unnest(events) event
      cross join lateral (select format('!quoin_%s_%s', lower(event), watched)) made (name)
      cross join (
        select string_agg(format('''%s''', replace(argument, '''', '''''')), ', ' order by place) from (
          select 0, watched::text
          union all select k.place, a.attname
          from pg_index i cross join unnest(i.indkey) with ordinality k (attnum, place)
            join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
          where i.indrelid = watched and i.indisprimary and k.place <= i.indnkeyatts
          union all select null, '' where exists (
            select from pg_attribute a where a.attrelid = watched and a.attgenerated = 'v' and not a.attisdropped)
        ) a (place, argument)
      ) arguments (quoted)
  $body$;
  revoke all on function quoin.wanted_triggers(oid, text[]) from public;
`

// A trigger of ours that the table's owner has renamed, disabled (also in one partition) or replaced is made again.
// Removing comes first, so that the stronger lock is taken first. A lock that somebody holds fails after 200 ms, since
// everybody else would wait behind ours: the caller tries again. What is right already takes no lock.
const CREATE_WATCH_TABLE = `
  create function quoin.watch_table(watched oid, events text[]) returns void
    language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
    set standard_conforming_strings = on set quote_all_identifiers = off as $body$
    declare
      recorder constant oid := 'quoin.record_changes()'::regprocedure;
      former record;
      wanted record;
    begin
      perform pg_advisory_xact_lock(hashtext('quoin.watch_table'), hashoid(watched));
      if not exists (select from pg_class where oid = watched) then
        return;
      end if;
      for former in
        select g.tgname from pg_trigger g where g.tgrelid = watched and g.tgfoid = recorder and g.tgparentid = 0
          and (pg_get_triggerdef(g.oid) not in (select w.definition from quoin.wanted_triggers(watched, events) w)
            or exists (
              select from pg_trigger t where t.tgfoid = recorder and t.tgname = g.tgname and t.tgenabled <> 'O'))
      loop
        execute format('drop trigger %I on %s', former.tgname, watched::regclass);
      end loop;
      for wanted in
        select w.definition from quoin.wanted_triggers(watched, events) w
        where not exists (
          select from pg_trigger g where g.tgrelid = watched and g.tgname = w.name and g.tgfoid = recorder)
      loop
        execute overlay(wanted.definition placing 'CREATE OR REPLACE' from 1 for length('CREATE'));
      end loop;
    end
  $body$;
  comment on function quoin.watch_table(oid, text[]) is 'Makes the triggers of a table those for exactly these events, '
    'of the right kind and for its present primary key. May be repeated.';

  create function quoin.apply_watch(watched oid) returns void
    language sql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $body$
    select pg_advisory_xact_lock(hashtext('quoin.watch_table'), hashoid(watched));
    select quoin.watch_table(watched,
      array(select distinct unnest(w.events) from quoin.webhooks w where w.table_id = watched));
  $body$;
  comment on function quoin.apply_watch(oid) is
    'Watches a table for what its webhooks want, paused ones included; nothing, when it has none.';

  create function quoin.watched_tables() returns setof oid
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select w.table_id from quoin.webhooks w
    union select g.tgrelid from pg_trigger g
      where g.tgfoid = 'quoin.record_changes()'::regprocedure and g.tgparentid = 0
  $body$;
  comment on function quoin.watched_tables() is 'Every table that a webhook names or that has triggers of ours.';
  revoke all on function quoin.watch_table(oid, text[]), quoin.apply_watch(oid), quoin.watched_tables() from public;
`

const CREATE_UNWATCHABLE_REASON = `
  create function quoin.unwatchable_reason(wanted oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select case
      when c.oid is null then 'it does not exist'
      when n.nspname in ('quoin', 'information_schema') or n.nspname like 'pg\\_%'
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

const CREATE_RECORDING_FAILURES = `
  create function quoin.recording_failures(failures_max int) returns table (table_name text, missing text)
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select wanted.table_id::regclass::text, needed.missing
    from (select distinct w.table_id, unnest(w.events) as event from quoin.webhooks w) wanted
      join pg_class c on c.oid = wanted.table_id
      left join pg_roles recorder on recorder.rolname = 'quoin_outbox'
      cross join lateral (values
        ('the trigger for ' || wanted.event, exists (
          select from pg_trigger g where g.tgrelid = wanted.table_id and g.tgenabled in ('O', 'A')
            and g.tgfoid = to_regproc('quoin.record_changes')
            and g.tgname = format('!quoin_%s_%s', lower(wanted.event), wanted.table_id))),
        ('the right of everybody to call quoin.append_chunk',
          has_function_privilege('public', to_regproc('quoin.append_chunk')::oid, 'execute')),
        ('the right of quoin_outbox to insert into quoin.row_events',
          has_table_privilege(recorder.oid, to_regclass('quoin.row_events'), 'insert'))
      ) needed (missing, is_there)
    where needed.is_there is not true
    order by 1, 2 limit failures_max
  $body$;
  comment on function quoin.recording_failures(int) is
    'What is missing for changes of webhooks'' tables to be recorded. A table that is gone has no changes.';
  revoke all on function quoin.recording_failures(int) from public;
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [
    CREATE_KEY_OF,
    CREATE_RECORD_CHANGES,
    CREATE_NEEDS_ROW_TRIGGER,
    CREATE_WANTED_TRIGGERS,
    CREATE_WATCH_TABLE,
    CREATE_UNWATCHABLE_REASON,
    CREATE_RECORDING_FAILURES,
  ]) {
    pgm.sql(sql)
  }
}

// The triggers on users' tables go with the function that they call.
/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.recording_failures(int);
    drop function quoin.unwatchable_reason(oid);
    drop function quoin.watched_tables();
    drop function quoin.apply_watch(oid);
    drop function quoin.watch_table(oid, text[]);
    drop function quoin.wanted_triggers(oid, text[]);
    drop function quoin.needs_row_trigger(oid, text);
    drop function quoin.record_changes() cascade;
    drop function quoin.key_of(json, text[]);
  `)
}
