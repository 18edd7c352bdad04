// Foreign keys as relationships, both ways: what embedding needs of them, and what a picture of the schema shows. Pure.
// Catalog columns alone: a table that is dropped meanwhile neither fails the query nor makes holes in its answer.

/** Of a key `f`: the names of the columns with these numbers, in the key's order. */
const namesOf = (numbers: string, relation: string) => `(select json_agg(a.attname order by k.place)
  from unnest(${numbers}) with ordinality k(attnum, place)
  join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.attnum)`

/** A row has one partner at most: the key's columns are, as a set, those of a primary key or a unique constraint. */
const ONE_TO_ONE = `exists (select from pg_constraint u
  where u.conrelid = f.conrelid and u.contype in ('p', 'u') and u.conkey <@ f.conkey and f.conkey <@ u.conkey)`

const ACTION = (letter: string) => `case ${letter} when 'a' then 'no action' when 'r' then 'restrict'
  when 'c' then 'cascade' when 'n' then 'set null' else 'set default' end`

/**
 * A part of a WITH: `foreign_keys`, those keys `f` for which `condition` holds, wherever their tables are.
 *
 * A key to a partitioned table has further rows, one for each partition there: children of a key of the same table. A
 * key of a partitioned table has one for each of its partitions, which stand for the table only at the partitions.
 */
export const foreignKeys = (condition: string): string => `foreign_keys as materialized (
    select f.oid, f.xmin, f.conrelid, f.confrelid, f.conparentid, f.conname as name,
        ${namesOf('f.conkey', 'f.conrelid')} as columns, ${namesOf('f.confkey', 'f.confrelid')} as referenced,
        ${ONE_TO_ONE} as one_to_one, ${ACTION('f.confdeltype')} as on_delete, ${ACTION('f.confupdtype')} as on_update
      from pg_constraint f
      where f.contype = 'f' and (${condition})
        and not exists (select from pg_constraint p where p.oid = f.conparentid and p.conrelid = f.conrelid))`

/**
 * Three parts of a WITH RECURSIVE: `foreign_keys`; `keys_from` and `keys_to`, each with `oid` of a relation and `keys`,
 * a JSON array of its foreign keys, or of those that refer to it. `of` chooses the relations: a query of oids.
 */
export const relationships = (
  of: string,
): string => `${foreignKeys(`f.conrelid in (${of}) or f.confrelid in (${of})`)},
  keys_from(oid, keys) as materialized (
    select f.conrelid, json_agg(json_build_object('name', f.name, 'columns', f.columns,
        'references', json_build_object('schema', n.nspname, 'table', c.relname, 'columns', f.referenced),
        'one_to_one', f.one_to_one, 'on_delete', f.on_delete, 'on_update', f.on_update) order by f.name)
      from foreign_keys f join pg_class c on c.oid = f.confrelid join pg_namespace n on n.oid = c.relnamespace
      group by f.conrelid),
  keys_to(oid, keys) as materialized (
    select f.confrelid, json_agg(json_build_object('name', f.name, 'schema', n.nspname, 'table', c.relname,
        'columns', f.columns, 'references', f.referenced, 'one_to_one', f.one_to_one)
        order by n.nspname, c.relname, f.name)
      from foreign_keys f join pg_class c on c.oid = f.conrelid join pg_namespace n on n.oid = c.relnamespace
      where f.conparentid = 0
      group by f.confrelid)`
