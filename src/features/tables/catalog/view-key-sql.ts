// The primary key of a view: those of the tables under it that it shows whole. Pure. Postgres keeps no such thing. It
// is read from the view's parsed query, where each entry of a target list names the column that it comes from.

/** An entry of a target list: its number, name and origin. Names have a backslash before odd characters. */
const ENTRY = [
  String.raw`:resno (\d+) :resname ((?:\\.|[^\\ ])+)`,
  String.raw`:ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+)`,
].join(' ')

/**
 * The columns of the view `oid` by their numbers, with the relation that each comes from and its number there. Target
 * lists of subqueries are in the text too: a column whose number and name stand there with another origin is left out.
 */
function originsSql(oid: string): string {
  return `select a.attnum, min(e[3])::oid as origin, min(e[4])::int2 as place
    from pg_rewrite r cross join regexp_matches(r.ev_action::text, '${ENTRY}', 'g') e
    join pg_attribute a on a.attrelid = r.ev_class and a.attnum = e[1]::int2
      and a.attname = regexp_replace(e[2], '\\\\(.)', '\\1', 'g')
    where r.ev_class = ${oid} and r.rulename = '_RETURN'
    group by a.attnum having count(distinct (e[3], e[4])) = 1`
}

/** Bit of `pg_relation_is_updatable`: rows can be inserted. */
const INSERTS = 8

/**
 * The origins of the columns of views in the schemas `$1`, through views under views. Only of views that take rows: of
 * others no key is needed, and the text of a report may be long. Which views these are must be known before any text
 * is looked through: hence the first part by itself.
 */
export const COLUMN_ORIGINS = `views(oid) as materialized (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1::text[]) and c.relkind = 'v'),
  column_origins(view, attnum, origin, place) as (
    select w.oid, o.attnum, o.origin, o.place from views w cross join lateral (${originsSql('w.oid')}) o
      where pg_relation_is_updatable(w.oid, true) & ${INSERTS} <> 0
    union select v.view, v.attnum, o.origin, o.place from column_origins v
      join lateral (${originsSql('v.origin')}) o on o.attnum = v.place)`

/** A JSON array of the names of the key's columns in the view `c`. */
export const VIEW_KEY = `select coalesce(json_agg(k.name order by k.key, k.number), '[]')
  from (select a.attname as name, p.oid as key, array_position(p.conkey, v.place) as number,
      count(*) over (partition by p.oid) = cardinality(p.conkey) as is_whole
    from (select origin, place, min(attnum) as attnum from column_origins where view = c.oid group by 1, 2) v
    join pg_constraint p on p.conrelid = v.origin and p.contype = 'p' and v.place = any (p.conkey)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = v.attnum) k
  where k.is_whole`
