// Which columns of tables a view shows, and so which of their keys. Pure. Postgres keeps no such thing. It is read from
// the view's parsed query, where each entry of a target list names the column that it comes from.

/** An entry of a target list: its number, name and origin. Names have a backslash before odd characters. */
const ENTRY = [
  String.raw`:resno (\d+) :resname ((?:\\.|[^\\ ])+)`,
  String.raw`:ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+)`,
].join(' ')

/** Of a view `c`: it takes rows (a bit of `pg_relation_is_updatable`). Of others no key is needed. */
const TAKES_ROWS = 'pg_relation_is_updatable(c.oid, true) & 8 <> 0'

/** Narrows `columnOrigins` to what `VIEW_KEY` needs: the text of a report may be long. */
export const ONLY_WITH_KEYS = ` and ${TAKES_ROWS}`

/** Characters of a parsed query; of a longer one no key is read, since each is looked through at every reading. */
const QUERY_LENGTH_MAX = 1_000_000

/**
 * The origins of the columns of views in the schemas `$1`, through views under views: relation and number there.
 *
 * Each text is looked through once (`own_origins`), however many views stand on it: hence all views under them first.
 * Target lists of subqueries are in the text too. A column whose number and name stand there with another origin is
 * left out. `condition` narrows the views `c`; it begins with AND.
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
  own_origins(view, attnum, origin, place) as materialized (
    select a.attrelid, a.attnum, min(e[3])::oid, min(e[4])::int2
      from views_below v join pg_rewrite r on r.ev_class = v.oid and r.rulename = '_RETURN'
      cross join regexp_matches(r.ev_action::text, '${ENTRY}', 'g') e
      join pg_attribute a on a.attrelid = v.oid and a.attnum = e[1]::int2
        and a.attname = regexp_replace(e[2], '\\\\(.)', '\\1', 'g')
      where length(r.ev_action::text) <= ${QUERY_LENGTH_MAX}
      group by 1, 2 having count(distinct (e[3], e[4])) = 1),
  column_origins(view, attnum, origin, place) as (
    select o.view, o.attnum, o.origin, o.place from own_origins o join views v on v.oid = o.view
    union select v.view, v.attnum, o.origin, o.place from column_origins v
      join own_origins o on o.view = v.origin and o.attnum = v.place)`

/** A JSON array of the names of the key's columns in the view `c`. */
export const VIEW_KEY = `select coalesce(json_agg(k.name order by k.key, k.number), '[]')
  from (select a.attname as name, p.oid as key, array_position(p.conkey, v.place) as number,
      count(*) over (partition by p.oid) = cardinality(p.conkey) as is_whole
    from (select origin, place, min(attnum) as attnum from column_origins where view = c.oid group by 1, 2) v
    join pg_constraint p on p.conrelid = v.origin and p.contype = 'p' and v.place = any (p.conkey)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = v.attnum) k
  where k.is_whole and ${TAKES_ROWS}`
