// Which columns of tables a view shows, and so which of their keys. Pure. Postgres keeps no such thing. It is read from
// the view's parsed query, where each entry of a target list names the column that it comes from.

/** An entry of a target list: its number, name and origin. Names have a backslash before odd characters. */
const ENTRY = [
  String.raw`:resno (\d+) :resname ((?:\\.|[^\\ ])+)`,
  String.raw`:ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+)`,
].join(' ')

/** What the parts of an entry `e` say, and whether its view `t` has such a column. */
const OF_ENTRY = 'e[1]::int2, e[3]::oid, e[4]::int2'
const IS_COLUMN = `join pg_attribute a on a.attrelid = t.view and a.attnum = e[1]::int2
        and a.attname = regexp_replace(e[2], '\\\\(.)', '\\1', 'g')`

/** Of a view `c`: it takes rows (a bit of `pg_relation_is_updatable`). Of others no key is needed. */
const TAKES_ROWS = 'pg_relation_is_updatable(c.oid, true) & 8 <> 0'

/** Narrows `columnOrigins` to what `VIEW_KEY` needs: the text of a report may be long. */
export const ONLY_WITH_KEYS = ` and ${TAKES_ROWS}`

/** Characters of a parsed query; of a longer one no key is read, since each is looked through at every reading. */
const QUERY_LENGTH_MAX = 1_000_000

/**
 * The origins of the columns of views in the schemas `$1`, through views under views: relation and number there.
 *
 * Each text is looked through once (`entries`), however many views stand on it: hence all views under them first.
 * Target lists of subqueries are in the text too. Where one has the number and name of a column, the braces of that
 * text are counted (`outer_entries`): the view's own list is two deep. `condition` narrows the views `c`; it begins
 * with AND.
 */
export const columnOrigins = (condition: string): string => `views(oid) as materialized (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1::text[]) and c.relkind in ('v', 'm')${condition}),
  views_below(oid) as (
    select oid from views
    union select d.refobjid from views_below v
      join pg_rewrite r on r.ev_class = v.oid and r.rulename = '_RETURN'
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
      join pg_class c on c.oid = d.refobjid and c.relkind in ('v', 'm')),
  texts(view, text) as (
    select v.oid, r.ev_action::text from views_below v
      join pg_rewrite r on r.ev_class = v.oid and r.rulename = '_RETURN'
      where length(r.ev_action::text) <= ${QUERY_LENGTH_MAX}),
  entries(view, attnum, origin, place) as materialized (
    select t.view, ${OF_ENTRY} from texts t cross join regexp_matches(t.text, '${ENTRY}', 'g') e ${IS_COLUMN}),
  doubtful(view) as (select view from entries group by view, attnum having count(distinct (origin, place)) > 1),
  outer_entries(view, attnum, origin, place) as (
    select t.view, ${OF_ENTRY}
      from (select b.view, b.e, sum(case b.e[5] when '{' then 1 when '}' then -1 else 0 end)
            over (partition by b.view order by b.number) as depth
          from (select t.view, e, number from texts t cross join
              regexp_matches(t.text, '${ENTRY}|((?<!\\\\)[{}])', 'g') with ordinality m(e, number)
            where t.view in (select view from doubtful)) b) t(view, e, depth)
      ${IS_COLUMN} where t.depth = 2),
  own_origins(view, attnum, origin, place) as materialized (
    select distinct * from entries where view not in (select view from doubtful)
    union select * from outer_entries),
  column_origins(view, attnum, origin, place) as (
    select o.view, o.attnum, o.origin, o.place from own_origins o join views v on v.oid = o.view
    union select v.view, v.attnum, o.origin, o.place from column_origins v
      join own_origins o on o.view = v.origin and o.attnum = v.place)`

/** A JSON array of the names of the columns in the view `c` that are primary keys of tables, each shown whole. */
export const KEYS_SHOWN = `select coalesce(json_agg(k.name order by k.key, k.number), '[]')
  from (select a.attname as name, p.oid as key, array_position(p.conkey, v.place) as number,
      count(*) over (partition by p.oid) = cardinality(p.conkey) as is_whole
    from (select origin, place, min(attnum) as attnum from column_origins where view = c.oid group by 1, 2) v
    join pg_constraint p on p.conrelid = v.origin and p.contype = 'p' and v.place = any (p.conkey)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = v.attnum) k
  where k.is_whole`

/** The same of a view that takes rows, else an empty array: the rows of others nobody needs to find again. */
export const VIEW_KEY = `case when ${TAKES_ROWS} then (${KEYS_SHOWN}) else '[]' end`
