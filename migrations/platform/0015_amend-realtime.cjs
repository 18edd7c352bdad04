// TRUNCATE of a table that sockets follow: a change without a row, upon which whoever follows the table is told to read
// it again. Webhooks hear of rows, and TRUNCATE names none (docs/webhooks.md). And a question of sight asks about
// callers and filters in one list; its answer has no primary key any more, which nobody reads. And what policies may
// reach is searched as it is stored: to print it takes locks on all tables that it names, anybody's.

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
const CLAIMS = "'claims_read', coalesce(quoin.claims_read_by_policies(c.oid), '{}')"
/** Joins look through many tables, and ask for no claims. */
const CLAIMS_OF_IMAGES =
  "'claims_read', case when images is null then '{}' else quoin.claims_read_by_policies(c.oid) end"

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

const CLAIMS_READ = 'quoin.claims_read_by_policies(oid)'
/**
 * Trees have names as words or in double quotes, and constants as their bytes, ` [ 28 0 0 0 101 120 112 ]`, so a longer
 * constant may count too. They are large: LIKE is ten times as fast as a regular expression.
 */
const READING_STORED = [
  [
    'pg_get_expr(p.polqual, p.polrelid) as source from pg_policy p',
    'p.polqual::text as source from pg_policy p',
  ],
  [String.raw`source ~* '\mselect\M'`, "source like '%{SUBLINK %'"],
  ['select pg_get_expr(p.polqual, p.polrelid) from pg_policy p', 'select p.polqual::text from pg_policy p'],
  ['pg_get_function_sqlbody(f.oid), f.prosrc', "f.prosqlbody::text, ' ' || f.prosrc"],
  [
    'select pg_get_viewdef(v.oid) from pg_class v join pg_namespace n on n.oid = v.relnamespace',
    `select r.ev_action::text from pg_rewrite r join pg_class v on v.oid = r.ev_class
          join pg_namespace n on n.oid = v.relnamespace`,
  ],
  [
    String.raw`select distinct word[1] from sources
        cross join lateral regexp_matches(source, '\m(exp|iat|nbf|jti|auth_time)\M', 'g') word
      order by 1`,
    String.raw`select claim from unnest('{auth_time,exp,iat,jti,nbf}'::text[]) claim
        cross join lateral (select string_agg(get_byte(claim::bytea, i)::text, ' ' order by i) as bytes
          from generate_series(0, length(claim) - 1) i) stored
      where exists (select from sources where source like '% ' || bytes || ' %' or source like '% ' || claim || ' %'
        or source like '%"' || claim || '"%'
        or (left(source, 1) not in ('(', '{') and source ~ ('\m' || claim || '\M')))
      order by 1`,
  ],
]

const PASSING_IMAGES = 'quoin.passing_images(oid, text, text, json[], "char", text, text[])'
const VIRTUAL = 'virtual text;'
const VIRTUAL_AND_JSON = `virtual text;
      -- JSON's null and no value are one in an image: columns of a row with JSON's null in place of no value.
      with_nulls text;
      json_columns text[];
      passing_with_nulls json;`
const JUDGED = `into passing using images, params;
      end if;
      raise`
const JUDGED_TWICE = `into passing using images, params;
        select pg_catalog.string_agg(case when j.is_json
              then pg_catalog.format('coalesce(%1$I.%2$I, %3$L::%4$s)', relation, a.attname, 'null',
                pg_catalog.format_type(a.atttypid, a.atttypmod))
              else pg_catalog.format('%I.%I', relation, a.attname) end, ', ' order by a.attnum),
            pg_catalog.array_agg(a.attname::text) filter (where j.is_json)
          into with_nulls, json_columns
          from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
            cross join lateral (select coalesce(nullif(t.typbasetype, 0), t.oid) in (
              'pg_catalog.json'::pg_catalog.regtype, 'pg_catalog.jsonb'::pg_catalog.regtype) as is_json) j
          where a.attrelid = wanted and a.attnum > 0 and not a.attisdropped
            and exists (select from pg_catalog.unnest(images) i where i::text like '%:null%');
        if exists (select from pg_catalog.unnest(images) i cross join pg_catalog.unnest(json_columns) c
          where (i -> c)::text = 'null')
        then
          execute pg_catalog.format(
            'select coalesce(pg_catalog.json_agg(quoin_images.n - 1 order by quoin_images.n), ''[]''::pg_catalog.json)
              from pg_catalog.unnest($1) with ordinality quoin_images (image, n) cross join lateral (
                select from pg_catalog.json_populate_record((select row(%s)::%I.%I from %s as %3$I), ''{}'') as %3$I
                where %5$s) passing', with_nulls, schema, relation, record, condition)
            into passing_with_nulls using images, params;
          if passing_with_nulls::text <> passing::text then
            passing := pg_catalog.json_build_object('code', '22030', 'message', pg_catalog.format(
              'no value and null as JSON are one in a recorded row, and policies or filters tell them apart (%s)',
              pg_catalog.array_to_string(json_columns, ', ')));
          end if;
        end if;
      end if;
      raise`

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
  pgm.sql(amend(TABLE_IN_SIGHT, [PRIMARY_KEY, ''], [CLAIMS, CLAIMS_OF_IMAGES]))
  pgm.sql(amend(ROWS_IN_SIGHT, [TWO_LISTS, ONE_LIST], [ASKING_TWO, ASKING_ONE]))
  pgm.sql(amend(PASSING_IMAGES, [VIRTUAL, VIRTUAL_AND_JSON], [JUDGED, JUDGED_TWICE]))
  pgm.sql(amend(CLAIMS_READ, ...READING_STORED))
}

exports.down = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(amend(PASSING_IMAGES, [JUDGED_TWICE, JUDGED], [VIRTUAL_AND_JSON, VIRTUAL]))
  pgm.sql(amend(CLAIMS_READ, ...READING_STORED.map(([printed, stored]) => [stored, printed])))
  pgm.sql(amend(ROWS_IN_SIGHT, [ONE_LIST, TWO_LISTS], [ASKING_ONE, ASKING_TWO]))
  pgm.sql(amend(TABLE_IN_SIGHT, [CLAIMS_OF_IMAGES, CLAIMS], [SELECTABLE, PRIMARY_KEY + SELECTABLE]))
  pgm.sql(watches('{INSERT,UPDATE,DELETE}'))
  pgm.sql('select quoin.apply_watch(table_id) from quoin.realtime_watches')
  pgm.sql(amend(WANTED_TRIGGERS, [ALL_LEVELS, LEVELS]))
  pgm.sql(amend(RECORD_CHANGES, [TRUNCATE_OR_CASES, CASES]))
  pgm.sql(amend(APPEND_CHUNK, [ALL_EVENTS, EVENTS]))
}
