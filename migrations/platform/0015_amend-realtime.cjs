// TRUNCATE of a table that sockets follow: a change without a row, upon which whoever follows the table is told to read
// it again. Webhooks hear of rows, and TRUNCATE names none (docs/webhooks.md). And a question of sight has no primary
// key in its answer any more, which nobody reads.

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

/** Puts other text into the body of a function, which need not be repeated for a line. */
const amend = (signature, found, text) => `
  do $do$
  declare
    former constant text := pg_get_functiondef('${signature}'::regprocedure);
    amended constant text := replace(former, $found$${found}$found$, $text$${text}$text$);
  begin
    if amended = former then
      raise exception '${signature} is not as its migration made it';
    end if;
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
  pgm.sql(amend(APPEND_CHUNK, EVENTS, ALL_EVENTS))
  pgm.sql(amend(RECORD_CHANGES, CASES, TRUNCATE_OR_CASES))
  pgm.sql(amend(WANTED_TRIGGERS, LEVELS, ALL_LEVELS))
  pgm.sql(watches('{INSERT,UPDATE,DELETE,TRUNCATE}'))
  pgm.sql(amend(TABLE_IN_SIGHT, PRIMARY_KEY, ''))
}

exports.down = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(amend(TABLE_IN_SIGHT, SELECTABLE, PRIMARY_KEY + SELECTABLE))
  pgm.sql(watches('{INSERT,UPDATE,DELETE}'))
  pgm.sql('select quoin.apply_watch(table_id) from quoin.realtime_watches')
  pgm.sql(amend(WANTED_TRIGGERS, ALL_LEVELS, LEVELS))
  pgm.sql(amend(RECORD_CHANGES, TRUNCATE_OR_CASES, CASES))
  pgm.sql(amend(APPEND_CHUNK, ALL_EVENTS, EVENTS))
}
