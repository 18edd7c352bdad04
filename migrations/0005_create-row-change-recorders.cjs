// What trigger functions of watched tables are written from: how images and keys are made, and the templates. 0006 writes them.
//
// Each watched table and event has a trigger function of its own in the schema `quoin_outbox`, because its statements
// name the primary key and then stay planned: putting the names in at run time would cost each write 0.2 ms. It runs as
// the role `quoin_outbox` and runs no user's code: keys are made by output functions, images by quoin.make_image and
// quoin.make_images, which run as `quoin_images`. It writes last of all, since a user's code there may have changed the
// search path.

/** Larger images are not made: the change is recorded with its key and the reason. */
const IMAGE_BYTES_MAX = 64 * 1024 * 1024
const CHUNK_ROWS_MAX = 1_000
/** Rows of a chunk are as many as fit here, at least one; what Postgres keeps them in, before they are JSON. */
const CHUNK_BYTES = 1_000_000
/** Rows that are much larger as JSON, compressed ones, make several chunks; but for a single row, a chunk has no more than this. */
const CHUNK_IMAGES_BYTES = 4_000_000

/**
 * What a user's cast does while images are made must not outlast them. In a block that catches (a subtransaction) this lets it write
 * nothing, DROP OWNED included, and ends with the block.
 */
const READ_ONLY = `pg_catalog.set_config('transaction_read_only', 'on', true)`
/** The cast may have put operators of its own in front. */
const OWN_SEARCH_PATH = `pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)`

// The first is for what most statements do, and costs every write: no SET, and no block that catches. Its caller does both.
const CREATE_MAKE_IMAGES = `
  create function quoin.make_image(only_row record) returns json
    language plpgsql security definer as $body$
    declare
      image constant json := pg_catalog.row_to_json(only_row);
    begin
      if pg_catalog.pg_column_size(image) operator(pg_catalog.>) ${IMAGE_BYTES_MAX / 2} then
        raise exception 'the row is too large';
      end if;
      return image;
    end
  $body$;
  comment on function quoin.make_image(record) is 'A row as JSON, for the triggers alone; raises where make_images has to look closer.';

  create function quoin.make_images(batch record)
    returns table (first int, last int, rows json[], old_rows json[], errors text[])
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $body$
    declare
      image json;
      old_image json;
      failure text;
      image_bytes int;
      bytes int := 0;
      setting text;
    begin
      first := 1;
      last := batch.change_count;
      begin
        setting := ${READ_ONLY};
        -- In FROM, unnest would take each row apart to put it together again, at twice the cost of the whole trigger.
        rows := array(select row_to_json(made.from_row) from (select unnest(batch.rows) as from_row) made);
        setting := ${OWN_SEARCH_PATH};
        old_rows := case when batch.old_rows is not null
          then array(select row_to_json(made.from_row) from (select unnest(batch.old_rows) as from_row) made) end;
        setting := ${OWN_SEARCH_PATH};
        if pg_column_size(rows) + coalesce(pg_column_size(old_rows), 0) <= ${CHUNK_IMAGES_BYTES} then
          return next;
          return;
        end if;
      exception when others or assert_failure then
        null;
      end;
      -- One of the images cannot be made, or all are too much for a chunk: they are made one by one.
      rows := '{}';
      old_rows := case when batch.old_rows is not null then '{}'::json[] end;
      errors := '{}';
      for i in 1 .. batch.change_count loop
        begin
          failure := null;
          setting := ${READ_ONLY};
          image := row_to_json(batch.rows[i]);
          setting := ${OWN_SEARCH_PATH};
          old_image := row_to_json(batch.old_rows[i]);
          setting := ${OWN_SEARCH_PATH};
          image_bytes := pg_column_size(image) + coalesce(pg_column_size(old_image), 0);
          if image_bytes > ${IMAGE_BYTES_MAX} then
            raise exception 'the row is larger than ${IMAGE_BYTES_MAX} bytes as JSON';
          end if;
        exception when others or assert_failure then
          failure := left(sqlerrm, 500);
          image := null;
          old_image := null;
          image_bytes := 0;
        end;
        if i > first and bytes + image_bytes > ${CHUNK_IMAGES_BYTES} then
          last := i - 1;
          return next;
          first := i;
          bytes := 0;
          rows := '{}';
          old_rows := case when old_rows is not null then '{}'::json[] end;
          errors := '{}';
        end if;
        bytes := bytes + image_bytes;
        rows := array_append(rows, image);
        -- Inside a CASE the array would be copied each time.
        if old_rows is not null then
          old_rows := array_append(old_rows, old_image);
        end if;
        errors := array_append(errors, failure);
      end loop;
      last := batch.change_count;
      return next;
    end
  $body$;
  comment on function quoin.make_images(record) is 'The rows of a batch as the JSON of one chunk, or of several where they are large: first and last say of which changes. What users can attach to that (a cast to json) runs as a role without any right, and its failure is caught.';
`

// A key is the compact JSON text of an array of texts, written by types' output functions, which concat and format call: `||` would
// run a user's cast to text, if the column has another type by now. Types whose texts need no escaping are simply put between quotes.
const CREATE_KEY_SQL = `
  create function quoin.key_sql(watched oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select case when bool_and(k.is_plain)
        then format($sql$concat('["', %s, '"]')$sql$, string_agg(format('r.%I', k.name), $sql$, '","', $sql$ order by k.position))
        else format($sql$concat('[', %s, ']')$sql$, string_agg(
          case when k.is_plain then format($sql$'"', r.%I, '"'$sql$, k.name) else format($sql$to_json(format('%%s', r.%I))$sql$, k.name) end,
          $sql$, ',', $sql$ order by k.position))
      end
    from (
      select a.attname as name, k.position,
        a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype) as is_plain
      from pg_index i
        cross join unnest(i.indkey) with ordinality as k (attnum, position)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indrelid = watched and i.indisprimary
    ) k
    having count(*) > 0
  $body$;
  comment on function quoin.key_sql(oid) is 'The expression for the key of a row called r; null for a table without a primary key.';
  revoke all on function quoin.key_sql(oid) from public;
`

// Each SET costs every write as much as a small function. Settings of the writer's session must not show in keys and images, but of
// most tables no text depends on them. (Dates follow DateStyle in keys; in JSON they do not.)
const CREATE_SETTINGS_SQL = `
  create function quoin.settings_sql(watched oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select $sql$set timezone = 'UTC' set plan_cache_mode = 'force_generic_plan'$sql$ || case when not bool_and(
        coalesce(nullif(t.typbasetype, 0), nullif(t.typelem, 0), t.oid)
          = any ('{bool,int2,int4,int8,numeric,text,varchar,bpchar,uuid,json,jsonb}'::regtype[])
        or t.oid = any ('{timestamptz,timestamp,date}'::regtype[]) and a.attnum <> all (coalesce(i.indkey, ''))
        or t.typtype = 'e')
      then $sql$ set datestyle = 'ISO' set intervalstyle = 'postgres' set bytea_output = 'hex' set extra_float_digits = 1$sql$
      else '' end
    from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
    where a.attrelid = watched and a.attnum > 0 and not a.attisdropped
  $body$;
  comment on function quoin.settings_sql(oid) is 'The settings under which the rows of a table have the same texts in every session.';
  revoke all on function quoin.settings_sql(oid) from public;
`

/** Where a trigger function finds the rows, and what the table is called: of a partition's row, the watched table is named. */
const STATEMENT_ROWS = {
  newRows: 'new_rows',
  oldRows: 'old_rows',
  schema: 'tg_table_schema',
  table: 'tg_table_name',
}
const ROW_ROWS = {
  newRows: '(select new.*)',
  oldRows: '(select old.*)',
  schema: `(select n.nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace
            where c.oid operator(pg_catalog.=) {watched})`,
  table: '(select relname from pg_catalog.pg_class where oid operator(pg_catalog.=) {watched})',
}

/** What all chunks of a statement say of it. */
const FACT_COLUMNS = 'table_id, event, table_schema, table_name, application_name'
const factsOf = rows =>
  `{watched}, tg_op, ${rows.schema}, ${rows.table}, pg_catalog.current_setting('application_name')`

/** A snapshot older than the statement may hold an `idle` that is no longer true. */
const WAKES = `(select idle from quoin.listener_state) or current_setting('transaction_isolation') <> 'read committed'`

/**
 * The only change of a statement as a batch of one; STRICT refuses none and several, as a user's cast may, too. OFFSET 0 keeps Postgres from making the
 * keys of an UPDATE each time they are named.
 */
const onlyChange = (event, { newRows, oldRows }) => {
  const one = table => `select {key} as key, quoin.make_image(coalesce(r.*)) as image from ${table} r`
  const onlyOf = table =>
    `select case when n.key is not null then array[n.key] end as keys, null::text[] as old_keys,
        array[n.image] as rows, null::json[] as old_rows, ${WAKES} as wakes
      into strict batch
      from (${one(table)}) n`
  return {
    INSERT: onlyOf(newRows),
    UPDATE: `select case when n.key is not null and o.key is not null then array[n.key] end as keys,
        case when n.key <> o.key then array[o.key] end as old_keys,
        array[n.image] as rows, array[o.image] as old_rows, ${WAKES} as wakes
      into strict batch
      from (${one(newRows)} offset 0) n, (${one(oldRows)} offset 0) o`,
    DELETE: onlyOf(oldRows),
  }[event]
}

/**
 * The changed rows as `r`, each with its key and its place in the statement; an image only where one may be made: each row is
 * asked for its size only where one of them is too large, and none where one cannot even be measured.
 */
const rowsOf = (table, isOld, key) =>
  `select ${isOld} as is_old, ${key} as key, case when recorder.row_bytes <= ${IMAGE_BYTES_MAX} then coalesce(r.*)
              when recorder.is_unmeasured then null
              when pg_column_size(coalesce(r.*)) <= ${IMAGE_BYTES_MAX} then coalesce(r.*) end as image,
            row_number() over () as position from ${table} r`

/** Both images of an UPDATE have the same place: Postgres keeps the new rows and the old ones in the same order. */
const changesOf = (event, { newRows, oldRows }, key) =>
  ({
    INSERT: rowsOf(newRows, false, key),
    UPDATE: `${rowsOf(newRows, false, key)} union all ${rowsOf(oldRows, true, key)}`,
    DELETE: rowsOf(oldRows, false, key),
  })[event]

const sizesOf = (event, { newRows, oldRows }) =>
  ({
    INSERT: `select coalesce(r.*) as image from ${newRows} r`,
    UPDATE: `select coalesce(r.*) as image from ${newRows} r union all select coalesce(r.*) from ${oldRows} r`,
    DELETE: `select coalesce(r.*) as image from ${oldRows} r`,
  })[event]

const COLUMNS = `${FACT_COLUMNS}, keys, old_keys, change_count, rows, old_rows, errors`

const writeChunks = (rows, changes) => `
      insert into quoin.row_events (${COLUMNS})
      select ${factsOf(rows)},
        case when batch.keys[1] is not null then batch.keys[made.first:made.last] end,
        nullif(batch.old_keys[made.first:made.last], batch.keys[made.first:made.last]),
        made.last - made.first + 1, made.rows, made.old_rows,
        case when recorder.row_bytes <= ${IMAGE_BYTES_MAX} or batch.has_images then made.errors
          else array_fill('the row is larger than ${IMAGE_BYTES_MAX} bytes'::text, array[batch.change_count]) end
      from (
        select array_agg(c.key) filter (where not c.is_old) as keys, array_agg(c.key) filter (where c.is_old) as old_keys,
          (count(*) filter (where not c.is_old))::int as change_count, count(c.image) = count(*) as has_images,
          array_agg(c.image) filter (where not c.is_old) as rows,
          array_agg(c.image) filter (where c.is_old) as old_rows
        from (select *, (position - 1) / recorder.chunk_rows as part from (${changes}) c order by part, position) c
        group by c.part order by c.part
      ) batch
      cross join lateral quoin.make_images(batch) made;`

/**
 * The source of a trigger function, but for {watched}, {key} and {settings} (named, so that it is seen when they change). A
 * statement that changed one row, as most do, takes the short way, on which every function and every statement counts: its
 * cost is what every single write pays. After an image was made, a user's code may have changed the search path: from there on
 * nothing is looked up in it. Where a user's columns are in sight, variables go by the block's name: a column called as they
 * are would win. `others` leaves out assertions, and a cancel, which ends the write as it should.
 */
const recorderSource = (event, rows) => `
  -- Runs under: {settings}
  #variable_conflict use_column
  <<recorder>>
  declare
    batch record;
    is_long boolean;
    has_lost_key boolean;
    row_bytes bigint;
    is_unmeasured boolean;
    chunk_rows int;
    setting text;
  begin
    begin
      setting := ${READ_ONLY};
      ${onlyChange(event, rows)};
    exception when others or assert_failure then
      is_long := true;
    end;
    if is_long is null then
      if batch.wakes then
        perform pg_catalog.pg_notify('quoin_row_events', '');
      end if;
      insert into quoin.row_events (${COLUMNS})
        values (${factsOf(rows)},
          batch.keys, batch.old_keys, 1, batch.rows, batch.old_rows, null);
      return null;
    end if;
    begin
      row_bytes := (select max(pg_column_size(r.image)) from (${sizesOf(event, rows)}) r);
    exception when others or assert_failure then
      row_bytes := ${IMAGE_BYTES_MAX} + 1;
      is_unmeasured := true;
    end;
    if row_bytes is null then
      return null;
    end if;
    -- The primary key is another by now: until quoin.watch_table has run again, the whole table is one key.
    begin
      perform {key} from ${event === 'DELETE' ? rows.oldRows : rows.newRows} r limit 1;
    exception when others then
      has_lost_key := true;
    end;
    chunk_rows := greatest(1, least(${CHUNK_ROWS_MAX}, ${CHUNK_BYTES} / greatest(1, row_bytes)));
    if ${WAKES} then
      perform pg_notify('quoin_row_events', '');
    end if;
    if has_lost_key is null then${writeChunks(rows, changesOf(event, rows, '{key}'))}
    else${writeChunks(rows, changesOf(event, rows, 'null::text'))}
    end if;
    return null;
  end
`

const EVENTS = ['INSERT', 'UPDATE', 'DELETE']
const TRANSITION_TABLES = {
  INSERT: 'referencing new table as new_rows',
  UPDATE: 'referencing new table as new_rows old table as old_rows',
  DELETE: 'referencing old table as old_rows',
}

const CREATE_TEMPLATES = `
  create table quoin.recorder_templates (
    event text not null,
    per_row boolean not null,
    source text not null,
    timing text not null,
    primary key (event, per_row)
  );
  comment on table quoin.recorder_templates is 'What quoin.watch_table writes trigger functions from.';
  insert into quoin.recorder_templates values ${EVENTS.flatMap(event => [
    `('${event}', false, $source$${recorderSource(event, STATEMENT_ROWS)}$source$, '${TRANSITION_TABLES[event]} for each statement')`,
    `('${event}', true, $source$${recorderSource(event, ROW_ROWS)}$source$, 'for each row')`,
  ]).join(',\n')};
  revoke all on quoin.recorder_templates from public;
`

// A function can be given only to a role that may create in its schema.
const GIVE_AWAY = `
  grant create on schema quoin to quoin_images;
  alter function quoin.make_image(record) owner to quoin_images;
  alter function quoin.make_images(record) owner to quoin_images;
  revoke create on schema quoin from quoin_images;
  revoke all on function quoin.make_image(record), quoin.make_images(record) from public;
  grant execute on function quoin.make_image(record), quoin.make_images(record) to quoin_outbox;
  create schema quoin_outbox authorization quoin_outbox;
  comment on schema quoin_outbox is 'The trigger functions of watched tables, written by quoin.watch_table.';
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [CREATE_MAKE_IMAGES, GIVE_AWAY, CREATE_KEY_SQL, CREATE_SETTINGS_SQL, CREATE_TEMPLATES]) {
    pgm.sql(sql)
  }
}

// The triggers on users' tables go with the schema that holds their functions.
/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop schema quoin_outbox cascade;
    drop table quoin.recorder_templates;
    drop function quoin.settings_sql(oid);
    drop function quoin.key_sql(oid);
    drop function quoin.make_image(record);
    drop function quoin.make_images(record);
  `)
}
