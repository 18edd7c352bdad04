// The templates that trigger functions of watched tables are written from, by 0008.
//
// Each watched table and event has a trigger function of its own in the schema `quoin_outbox`, because its statements
// name the primary key and then stay planned: putting the names in at run time would cost each write 0.2 ms. It runs as
// the role `quoin_outbox` and runs no user's code: keys are made by output functions, images by quoin.make_image and
// quoin.make_images, which run as `quoin_images`. It writes last of all, since a user's code there may have changed the
// search path.
//
// It has no SET, which would cost each write 6 µs. So Postgres looks up the types of DECLARE, when a session first calls it, and everything on
// the short way in the writer's search path: all of it is named with its schema.
//
// Inserted rows of a table that has a staging table (0006) are copied there, and nothing more is done with them here. One small row that was
// updated or deleted in a table of plain types (quoin.has_short_way lists them) goes the short way: one INSERT, without a block that catches
// and without settings, at half the cost of the long way.

const {
  CHUNK_BYTES,
  CHUNK_ROWS_MAX,
  IMAGE_BYTES_MAX,
  READ_ONLY,
  TOO_LARGE,
  templateOf,
} = require('./0005_create-row-change-recorders.cjs')

/** Of a row so small all values are in line, none in a TOAST table whose page could be broken; compressed ones come to 3 MB of JSON. */
const SHORT_WAY_BYTES_MAX = 2_000
/** Of `work_mem`, for statements of several rows: enough to put the chunks of 100 000 in order without a file. */
const SORT_BYTES = 67_108_864

/**
 * As a literal of its type, and no number that is cast: only so does Postgres analyse a statement anew when the table changes
 * (setrefs.c, ISREGCLASSCONST), which what we ask while planning (0005) and every `new.*` need.
 */
const TABLE = `'{watched}'::pg_catalog.oid`

/** Where a trigger function finds the rows, and what the table is called: of a partition's row, the watched table is named. */
const STATEMENT_ROWS = {
  newRows: 'new_rows',
  oldRows: 'old_rows',
  isAtMostOne: table => `not exists (select from ${table} offset 1)`,
  areNone: table => `not exists (select from ${table})`,
  schema: 'tg_table_schema',
  table: 'tg_table_name',
}
const ROW_ROWS = {
  newRows: `(select new.* where ${TABLE} is not null)`,
  oldRows: `(select old.* where ${TABLE} is not null)`,
  isAtMostOne: () => 'true',
  areNone: () => 'false',
  schema: `(select n.nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace
            where c.oid operator(pg_catalog.=) ${TABLE})`,
  table: `(select relname from pg_catalog.pg_class where oid operator(pg_catalog.=) ${TABLE})`,
}

/** What all chunks of a statement say of it. */
const FACT_COLUMNS = 'table_id, event, table_schema, table_name, application_name'
const factsOf = rows =>
  `${TABLE}, tg_op, ${rows.schema}, ${rows.table}, pg_catalog.current_setting('application_name')`

/** Records all rows that a statement has inserted, large ones as well. */
const stagingWay = ({ newRows }) => `
    if {is_staged} and quoin.has_shape(${TABLE}, {shape}) then
      insert into quoin_staging.{staging_table} ("!application_name", {staged_columns})
        select pg_catalog.current_setting('application_name'), {staged_values} from ${newRows} r;
      return null;
    end if;`

/** Records the only change of an UPDATE or DELETE; nothing, where there are several or one is large. */
const shortInsert = (event, { newRows, oldRows, isAtMostOne }) => {
  const facts = `${TABLE}, '${event}', {table_schema}, {table_name}, pg_catalog.current_setting('application_name'), 1`
  const image = 'pg_catalog.row_to_json(coalesce(r.*))'
  const isSmall = `{row_bytes} operator(pg_catalog.<=) ${SHORT_WAY_BYTES_MAX}`
  const made = table =>
    `(select {key} as key, case when ${isSmall} then ${image} end as image from ${table} r offset 0)`
  return {
    UPDATE: `insert into quoin.row_events (${FACT_COLUMNS}, change_count, keys, old_keys, rows, old_rows)
        select ${facts}, array[n.key], case when n.key operator(pg_catalog.<>) o.key then array[o.key] end, array[n.image], array[o.image]
        from ${made(newRows)} n, ${made(oldRows)} o
        where ${isAtMostOne(newRows)} and n.image is not null and o.image is not null`,
    DELETE: `insert into quoin.row_events (${FACT_COLUMNS}, change_count, keys, rows)
        select ${facts}, array[{key}], array[${image}]
        from ${oldRows} r where ${isAtMostOne(oldRows)} and ${isSmall}`,
  }[event]
}

/**
 * Not taken where the session's time zone would show. Several rows, or a large one, insert nothing and go on to the
 * long way.
 */
const shortWay = (event, rows) => `
    if {has_short_way} and quoin.has_shape(${TABLE}, {shape})
      and pg_catalog.current_setting('timezone') operator(pg_catalog.=) any ('{UTC,Etc/UTC,GMT}'::pg_catalog.text[])
    then
      ${shortInsert(event, rows)};
      -- Apart, because a condition with a query in it would run that each time.
      if found then
        return null;
      elsif ${rows.areNone(event === 'DELETE' ? rows.oldRows : rows.newRows)} then
        return null;
      end if;
    end if;`

/**
 * The only change of a statement as a batch of one; STRICT refuses none and several, as a user's cast may, too. OFFSET 0 keeps Postgres from making the
 * keys of an UPDATE each time they are named.
 */
const onlyChange = (event, { newRows, oldRows }) => {
  const one = table => `select {key} as key, quoin.make_image(coalesce(r.*)) as image from ${table} r`
  const onlyOf = table =>
    `select case when n.key is not null then array[n.key] end as keys, null::text[] as old_keys,
        array[n.image] as rows, null::json[] as old_rows
      into strict batch
      from (${one(table)}) n`
  return {
    INSERT: onlyOf(newRows),
    UPDATE: `select case when n.key is not null and o.key is not null then array[n.key] end as keys,
        case when n.key <> o.key then array[o.key] end as old_keys,
        array[n.image] as rows, array[o.image] as old_rows
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
          else array_fill('${TOO_LARGE}'::text, array[batch.change_count]) end
      from (
        select array_agg(c.key) filter (where not c.is_old) as keys, array_agg(c.key) filter (where c.is_old) as old_keys,
          (count(*) filter (where not c.is_old))::int as change_count, count(c.image) = count(*) as has_images,
          array_agg(c.image) filter (where not c.is_old) as rows,
          array_agg(c.image) filter (where c.is_old) as old_rows
        from (select *, (position - 1) / recorder.chunk_rows as part from (${changes}) c order by part, position) c
        group by c.part order by c.part
      ) batch
      cross join lateral quoin.make_images(batch) made;`

/** On the long way: records the only change of a statement, whose image was made. */
const recordOne = rows => `
      insert into quoin.row_events (${COLUMNS})
        values (${factsOf(rows)},
          batch.keys, batch.old_keys, 1, batch.rows, batch.old_rows, null);`

/** On the long way: records any number of changes, also where an image cannot be made or the primary key is not what it was. */
const recordAll = (event, rows) => `
      begin
        row_bytes := (select max(pg_column_size(r.image)) from (${sizesOf(event, rows)}) r);
      exception when others or assert_failure then
        row_bytes := ${IMAGE_BYTES_MAX} + 1;
        is_unmeasured := true;
      end;
      if row_bytes is not null then
        -- The primary key is another by now: until quoin.watch_table has run again, the whole table is one key.
        begin
          perform {key} from ${event === 'DELETE' ? rows.oldRows : rows.newRows} r limit 1;
        exception when others then
          has_lost_key := true;
        end;
        chunk_rows := greatest(1, least(${CHUNK_ROWS_MAX}, ${CHUNK_BYTES} / greatest(1, row_bytes)));
        session_memory := current_setting('work_mem');
        setting := set_config('work_mem', greatest(pg_size_bytes(session_memory), ${SORT_BYTES}) / 1024 || 'kB', true);
        if has_lost_key is null then${writeChunks(rows, changesOf(event, rows, '{key}'))}
        else${writeChunks(rows, changesOf(event, rows, 'null::text'))}
        end if;
        setting := pg_catalog.set_config('work_mem', session_memory, true);
      end if;`

/**
 * The source of a trigger function, but for its `PLACES`: the quick way, then the long way under settings of its own. After an image was
 * made, a user's code may have changed the search path: from there on nothing is looked up in it. Where a user's columns are
 * in sight, variables go by the block's name: a column called as they are would win. `others` leaves out assertions, and a
 * cancel, which ends the write as it should.
 */
const recorderSource = (event, rows) => `
  #variable_conflict use_column
  begin${event === 'INSERT' ? stagingWay(rows) : shortWay(event, rows)}
    <<recorder>>
    declare
      batch pg_catalog.record;
      is_not_one pg_catalog.bool;
      has_lost_key pg_catalog.bool;
      row_bytes pg_catalog.int8;
      is_unmeasured pg_catalog.bool;
      chunk_rows pg_catalog.int4;
      setting pg_catalog.text;
      session_settings constant pg_catalog.text[] := array[{session_settings}];
      session_memory pg_catalog.text;
    begin
      setting := pg_catalog.concat({own_settings});
      begin
        setting := ${READ_ONLY};
        ${onlyChange(event, rows)};
      exception when others or assert_failure then
        is_not_one := true;
      end;
      if is_not_one is null then${recordOne(rows)}
      else${recordAll(event, rows)}
      end if;
      setting := pg_catalog.concat({former_settings});
    end;
    return null;
  end
`

/** What 0008 puts in for each table, in this order: by one `format`, so that a column that is called like a place is none. */
const PLACES = [
  'watched',
  'key',
  'row_bytes',
  'shape',
  'table_schema',
  'table_name',
  'has_short_way',
  'is_staged',
  'staging_table',
  'staged_columns',
  'staged_values',
  'session_settings',
  'own_settings',
  'former_settings',
]
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
  comment on table quoin.recorder_templates is 'What quoin.watch_table writes trigger functions from, by format().';
  insert into quoin.recorder_templates values ${EVENTS.flatMap(event => [
    `('${event}', false, $source$${templateOf(recorderSource(event, STATEMENT_ROWS), PLACES)}$source$, '${TRANSITION_TABLES[event]} for each statement')`,
    `('${event}', true, $source$${templateOf(recorderSource(event, ROW_ROWS), PLACES)}$source$, 'for each row')`,
  ]).join(',\n')};
  revoke all on quoin.recorder_templates from public;
`

const CREATE_SCHEMA = `
  create schema quoin_outbox authorization quoin_outbox;
  comment on schema quoin_outbox is 'The trigger functions of watched tables, written by quoin.watch_table.';
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [CREATE_TEMPLATES, CREATE_SCHEMA]) pgm.sql(sql)
}

// The triggers on users' tables go with the schema that holds their functions.
/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop schema quoin_outbox cascade;
    drop table quoin.recorder_templates;
  `)
}
