// Watching: puts triggers on a table for what its webhooks want, from the templates of 0007, and takes them away again.
//
// Triggers are named to fire before all others, so that what those do is numbered later. Statement triggers fire after
// every row trigger, though, and only for statements that name the table itself: hence row triggers in some places. They are
// known by their functions, since a table's owner may give them other names, or their names to others.

// Rows reach a partition and a child without a statement that names it. Beside another AFTER ROW trigger, or a foreign
// key that changes rows in turn, a statement trigger would number what those cause before what caused it.
const CREATE_NEEDS_ROW_TRIGGER = `
  create function quoin.needs_row_trigger(watched oid, event text) returns boolean
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select exists (select from pg_class where oid = watched and (relkind = 'p' or relispartition))
      or exists (select from pg_inherits where watched in (inhparent, inhrelid))
      or exists (
        select from pg_trigger g join pg_proc p on p.oid = g.tgfoid
        where g.tgrelid = watched and g.tgenabled <> 'D' and p.pronamespace <> 'quoin_outbox'::regnamespace
          -- Bits of tgtype: 1 row, 2 before, 64 instead of; 4 insert, 8 delete, 16 update.
          and g.tgtype & 67 = 1 and g.tgtype & case event when 'INSERT' then 4 when 'DELETE' then 8 else 16 end <> 0
          and (not g.tgisinternal or p.proname ~ '^RI_FKey_(cascade|setnull|setdefault)_')
      )
  $body$;
  revoke all on function quoin.needs_row_trigger(oid, text) from public;
`

// Whoever alters a table waits until it is watched: else columns, key and name could be of different moments, and a user's cast
// run as the role that writes the outbox. The name of a table that is renamed meanwhile may already be another's.
const CREATE_HOLD_STILL = `
  create function quoin.hold_still(watched oid) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      name constant text := watched::regclass;
    begin
      begin
        execute format('lock table only %s in access share mode', name);
      exception when undefined_table or invalid_schema_name or syntax_error then
        null;
      end;
      if to_regclass(name) is distinct from watched::regclass then
        raise exception 'The table % has been renamed or dropped this moment', name using errcode = 'lock_not_available', hint = 'Try again.';
      end if;
    end
  $body$;
  comment on function quoin.hold_still(oid) is 'Keeps anybody from altering, renaming or dropping a table until the transaction ends.';
  revoke all on function quoin.hold_still(oid) from public;
`

// Removing comes first, so that the stronger lock is taken first. A lock that somebody holds fails after 200 ms, since
// everybody else would wait behind ours: the caller tries again. Of which kind a trigger and its function are is decided once for both:
// whoever makes triggers or children of a table does not wait for who holds it still. The triggers of partitions have the same
// function, and may be disabled by themselves.
const CREATE_WATCH_TABLE = `
  create function quoin.watch_table(watched oid, events text[]) returns void
    language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $body$
    declare
      is_there constant boolean := exists (select from pg_class where oid = watched);
      per_row text[];
      event text;
      recorder text;
      trigger_name text;
    begin
      perform pg_advisory_xact_lock(hashtext('quoin.watch_table'), hashoid(watched));
      perform quoin.drop_retired_staging(watched);
      per_row := array(select e from unnest(events) e where quoin.needs_row_trigger(watched, e));
      foreach event in array array['INSERT', 'UPDATE', 'DELETE'] loop
        recorder := format('quoin_outbox.%s_%s', lower(event), watched);
        for trigger_name in
          select g.tgname from pg_trigger g where g.tgrelid = watched and g.tgfoid = to_regproc(recorder)
            and (event <> all (events) or g.tgname <> format('!quoin_%s_%s', lower(event), watched)
              or (g.tgtype & 1 = 1) <> (event = any (per_row))
              or exists (select from pg_trigger t where t.tgfoid = g.tgfoid and t.tgenabled <> 'O'))
        loop
          execute format('drop trigger %I on %s', trigger_name, watched::regclass);
        end loop;
        if to_regproc(recorder) is not null and not (is_there and event = any (events)) then
          execute format('drop function %s()', recorder);
        end if;
      end loop;
      foreach event in array case when is_there then events else '{}' end loop
        perform quoin.watch_event(watched, event, event = any (per_row));
      end loop;
      if not is_there or 'INSERT' <> all (events) then
        perform quoin.retire_staging(watched, null);
      end if;
      perform quoin.write_movers(s) from quoin.staging_tables s where s.table_id = watched;
    end
  $body$;
  comment on function quoin.watch_table(oid, text[]) is 'Makes the triggers of a table those for exactly these events, of the right kind and for its present primary key. May be repeated.';

  create function quoin.recorder_source(watched oid, event text, per_row boolean) returns text
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $body$
    declare
      template constant text := (select t.source from quoin.recorder_templates t
        where t.event = recorder_source.event and t.per_row = recorder_source.per_row);
      relation record;
      staging quoin.staging_tables;
      settings record;
    begin
      select n.nspname, c.relname into relation from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = watched;
      if event = 'INSERT' then
        select s.* into staging from quoin.staging_tables s
          where s.name = quoin.staging_name(watched) and s.is_in_use and to_regclass(format('quoin_staging.%I', s.name)) is not null;
      end if;
      select string_agg(format('pg_catalog.current_setting(%L)', s.name), ', ' order by s.place) as former_values,
          string_agg(format('pg_catalog.set_config(%L, %L, true)', s.name, s.value), ', ' order by s.place) as taken,
          string_agg(format('pg_catalog.set_config(%L, session_settings[%s], true)', s.name, s.place), ', ' order by s.place) as restored
        into settings from quoin.recorder_settings(watched) s;
      return format(template, watched, coalesce(quoin.key_sql(watched), 'null::text'), quoin.row_bytes_sql(watched), quote_literal(quoin.shape_of(watched)),
        quote_literal(relation.nspname), quote_literal(relation.relname), quoin.has_short_way(watched)::text, (staging.name is not null)::text,
        quote_ident(coalesce(staging.name, 'none')), coalesce(quoin.column_list(staging.column_names, ''), 'none'),
        coalesce(quoin.column_list(staging.column_names, 'r.'), 'none'), settings.former_values, settings.taken, settings.restored);
    end
  $body$;
  comment on function quoin.recorder_source(oid, text, boolean) is 'What the trigger function of a table for this event should be; true of one moment only while the table is held still.';

  -- A table that is watched as it should be needs no lock. What is written is made anew once the table is held still.
  create function quoin.watch_event(watched oid, event text, per_row boolean) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      recorder constant text := format('quoin_outbox.%s_%s', lower(event), watched);
      trigger_name constant text := format('!quoin_%s_%s', lower(event), watched);
    begin
      if quoin.recorder_source(watched, event, per_row) is distinct from (select prosrc from pg_proc where oid = to_regproc(recorder)) then
        perform quoin.hold_still(watched);
        if event = 'INSERT' then
          perform quoin.stage_table(watched);
        end if;
        execute format($create$
          create or replace function %s() returns trigger
            language plpgsql security definer
            as %L$create$, recorder, quoin.recorder_source(watched, event, per_row));
        execute format('revoke all on function %s() from public', recorder);
        execute format('alter function %s() owner to quoin_outbox', recorder);
      end if;
      if not exists (select from pg_trigger where tgrelid = watched and tgfoid = to_regproc(recorder)) then
        perform quoin.hold_still(watched);
        execute format('create or replace trigger %I after %s on %s %s execute function %s()', trigger_name, event, watched::regclass,
          (select t.timing from quoin.recorder_templates t
            where t.event = watch_event.event and t.per_row = watch_event.per_row), recorder);
      end if;
    end
  $body$;

  create function quoin.settle_watch(watched oid) returns void
    language sql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $body$
    select pg_advisory_xact_lock(hashtext('quoin.watch_table'), hashoid(watched));
    select quoin.watch_table(watched,
      array(select distinct unnest(w.events) from quoin.webhooks w where w.table_id = watched));
  $body$;
  comment on function quoin.settle_watch(oid) is 'Watches a table for what its webhooks want, paused ones included; nothing, when it has none.';
  revoke all on function quoin.watch_table(oid, text[]), quoin.recorder_source(oid, text, boolean), quoin.watch_event(oid, text, boolean), quoin.settle_watch(oid) from public;
`

const CREATE_WATCHED_TABLES = `
  create function quoin.watched_tables() returns setof oid
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select w.table_id from quoin.webhooks w
    union select substring(p.proname from '\\d+$')::oid from pg_proc p
      where p.pronamespace = 'quoin_outbox'::regnamespace and p.proname ~ '^(insert|update|delete)_\\d+$'
    union select table_id from quoin.staging_tables
  $body$;
  comment on function quoin.watched_tables() is 'Every table that a webhook names, or of which something is left from when it was watched.';
  revoke all on function quoin.watched_tables() from public;
`

// What triggers need beside their own functions is everybody's: without it no table at all is recorded.
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
            and g.tgfoid = to_regproc(format('quoin_outbox.%s_%s', lower(wanted.event), wanted.table_id)))),
        ('quoin.make_image',
          has_function_privilege(recorder.oid, to_regprocedure('quoin.make_image(record)'), 'execute')),
        ('quoin.make_images',
          has_function_privilege(recorder.oid, to_regprocedure('quoin.make_images(record)'), 'execute')),
        ('quoin.has_shape',
          has_function_privilege(recorder.oid, to_regprocedure('quoin.has_shape(oid, text)'), 'execute')),
        ('the right to insert into quoin.row_events',
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
    CREATE_NEEDS_ROW_TRIGGER,
    CREATE_HOLD_STILL,
    CREATE_WATCH_TABLE,
    CREATE_WATCHED_TABLES,
    CREATE_RECORDING_FAILURES,
  ])
    pgm.sql(sql)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.recording_failures(int);
    drop function quoin.watched_tables();
    drop function quoin.settle_watch(oid);
    drop function quoin.watch_event(oid, text, boolean);
    drop function quoin.recorder_source(oid, text, boolean);
    drop function quoin.watch_table(oid, text[]);
    drop function quoin.hold_still(oid);
    drop function quoin.needs_row_trigger(oid, text);
  `)
}
