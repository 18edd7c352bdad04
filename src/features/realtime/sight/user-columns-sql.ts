// Which columns of a table signed-in persons may SELECT, where these have a role of their own (DATA_USER_ROLE). Pure.

const ROLE = "pg_catalog.to_regrole('authenticated')"

/**
 * JSON array of their names, as `quoin.table_in_sight` has those of the other roles; `tableId` is SQL for an oid. Null
 * where there is no such role.
 */
export const selectableByUsers = (tableId: string) => `(
  select case when ${ROLE} is not null then coalesce(pg_catalog.json_agg(a.attname order by a.attnum), '[]') end
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
  where c.oid = ${tableId} and a.attnum > 0 and not a.attisdropped and a.attgenerated <> 'v'
    and pg_catalog.has_schema_privilege(${ROLE}, c.relnamespace, 'usage')
    and pg_catalog.has_column_privilege(${ROLE}, c.oid, a.attnum, 'select'))`
