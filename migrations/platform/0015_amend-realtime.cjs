// TRUNCATE of a table that sockets follow: a change without a row, upon which whoever follows the table is told to read
// it again. Webhooks hear of rows, and TRUNCATE names none (docs/webhooks.md). And a question of sight asks about
// callers and filters in one list; its answer has no primary key any more, which nobody reads.

const APPEND_CHUNK = 'quoin.append_chunk(oid, text, text[], text[], json[], json[], text[])'
const EVENTS = "if event in ('INSERT', 'UPDATE', 'DELETE') is not true"
const ALL_EVENTS = "if event in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE') is not true"

const RECORD_CHANGES = 'quoin.record_changes()'
const CASES = "case tg_level || ' ' || tg_op"
const TRUNCATE_OR_CASES = `if tg_op = 'TRUNCATE' then
        perform quoin.append_chunk(watched, tg_op, null, null, '{null}', null, '{the table was truncated}');
        return null;
      end if;
      ${CASES}`

const WANTED_TRIGGERS = 'quoin.wanted_triggers(oid, text[])'
const LEVELS = "case\n        when quoin.needs_row_trigger(watched, event) then 'FOR EACH ROW'"
const ALL_LEVELS = LEVELS.replace(
  'case\n',
  "case\n        when event = 'TRUNCATE' then 'FOR EACH STATEMENT'\n",
)

const TABLE_IN_SIGHT = 'quoin.table_in_sight(oid, json[])'
const PRIMARY_KEY = `
      'primary_key', array(
        select k.attname from pg_index i cross join unnest(i.indkey) with ordinality key (attnum, place)
          join pg_attribute k on k.attrelid = i.indrelid and k.attnum = key.attnum
        where i.indrelid = c.oid and i.indisprimary and key.place <= i.indnkeyatts order by key.place),`
const SELECTABLE = "\n      'selectable', json_build_object("

const ROWS_IN_SIGHT = 'quoin.rows_in_sight(json)'
const TWO_LISTS = 'classes json[];\n      filters json[];'
const ONE_LIST = 'seen json[];'
const ASKING_TWO = `classes := '{}';
        filters := '{}';
        if found is not null then
          for part in select pg_catalog.json_array_elements(asked -> 'classes') loop
            classes := classes
              || quoin.passing_images(table_id, part ->> 'role', part ->> 'claims', images, 'r', null, null);
          end loop;
          for part in select pg_catalog.json_array_elements(asked -> 'filters') loop
            filters := filters || quoin.passing_images(table_id, part ->> 'role', part ->> 'claims', images, 'r',
              part ->> 'sql',
              array(select pg_catalog.json_array_elements_text(part -> 'params')));
          end loop;
        end if;
        answer := answer || pg_catalog.json_build_object('table', found, 'classes', classes, 'filters', filters);`
const ASKING_ONE = `seen := '{}';
        if found is not null then
          for part in select pg_catalog.json_array_elements(asked -> 'callers') loop
            seen := seen || quoin.passing_images(table_id, part ->> 'role', part ->> 'claims', images, 'r',
              part ->> 'filter', array(select pg_catalog.json_array_elements_text(part -> 'params')));
          end loop;
        end if;
        answer := answer || pg_catalog.json_build_object('table', found, 'seen', seen);`

/** Puts other texts into the body of a function, which need not be repeated for a few lines. */
const amend = (signature, ...changes) => `
  do $do$
  declare
    former text;
    amended text := pg_get_functiondef('${signature}'::regprocedure);
  begin${changes
    .map(
      ([found, text]) => `
    former := amended;
    amended := replace(former, $found$${found}$found$, $text$${text}$text$);
    if amended = former then
      raise exception '${signature} is not as its migration made it';
    end if;`,
    )
    .join('')}
    execute amended;
  end
  $do$`

const watches = events => `
  create or replace view quoin.watches as
    select table_id, table_schema, table_name, events from quoin.webhooks
    union all
    select table_id, table_schema, table_name, '${events}' from quoin.realtime_watches
    union all
    select 'realtime.messages'::regclass::oid, 'realtime', 'messages', '{INSERT}'`

// Tables that are watched already get their triggers by the repair of every minute.
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(amend(APPEND_CHUNK, [EVENTS, ALL_EVENTS]))
  pgm.sql(amend(RECORD_CHANGES, [CASES, TRUNCATE_OR_CASES]))
  pgm.sql(amend(WANTED_TRIGGERS, [LEVELS, ALL_LEVELS]))
  pgm.sql(watches('{INSERT,UPDATE,DELETE,TRUNCATE}'))
  pgm.sql(amend(TABLE_IN_SIGHT, [PRIMARY_KEY, '']))
  pgm.sql(amend(ROWS_IN_SIGHT, [TWO_LISTS, ONE_LIST], [ASKING_TWO, ASKING_ONE]))
}

exports.down = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(amend(ROWS_IN_SIGHT, [ONE_LIST, TWO_LISTS], [ASKING_ONE, ASKING_TWO]))
  pgm.sql(amend(TABLE_IN_SIGHT, [SELECTABLE, PRIMARY_KEY + SELECTABLE]))
  pgm.sql(watches('{INSERT,UPDATE,DELETE}'))
  pgm.sql('select quoin.apply_watch(table_id) from quoin.realtime_watches')
  pgm.sql(amend(WANTED_TRIGGERS, [ALL_LEVELS, LEVELS]))
  pgm.sql(amend(RECORD_CHANGES, [TRUNCATE_OR_CASES, CASES]))
  pgm.sql(amend(APPEND_CHUNK, [ALL_EVENTS, EVENTS]))
}
