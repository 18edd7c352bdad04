// What refers to a row: the tables with a foreign key to it, and how many of their rows have its value.

import { Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { tableHref } from '../../../parts/database/table-facts.ts'
import { type Referring, referringFilters, referringTo } from './facts-of-tables.ts'
import { COUNTED_MAX, countQuery, type Row, type Table } from './queries.ts'

/** Keys that are asked how many rows have the value: each is a query. */
const ASKED_MAX = 20

export function ReferringRows({ table, tables, row }: { table: Table; tables: readonly Table[]; row: Row }) {
  const referring = referringTo(table, tables)
  if (referring.length === 0) return null
  const left = referring.length - ASKED_MAX
  return (
    <section aria-label="Referred to by" className="flex flex-wrap gap-x-4 gap-y-1">
      <span className="text-kumo-subtle">Referred to by</span>
      {referring.slice(0, ASKED_MAX).map(each => (
        <ReferringKey key={`${each.from.schema}.${each.from.name} ${each.key.name}`} of={each} row={row} />
      ))}
      {left > 0 && (
        <Link href={tableHref(table.schema, table.name, { tab: 'structure' })}>
          and {left} more {left === 1 ? 'key' : 'keys'}
        </Link>
      )}
    </section>
  )
}

function ReferringKey({ of: { from, key }, row }: { of: Referring; row: Row }) {
  const filters = referringFilters(key, row)
  const query = useQuery({
    ...countQuery(from, filters ?? [], false),
    enabled: from.readable && filters !== undefined,
  })
  const name = (
    <>
      {from.name} <code className="wrap-anywhere">({key.columns.join(', ')})</code>
    </>
  )
  if (filters === undefined) return <div>{name}: none, the value is NULL</div>
  const search = Object.fromEntries(filters.map(({ parameter, value }) => [parameter, value]))
  return (
    <div>
      <Link href={tableHref(from.schema, from.name, search)}>{name}</Link>: {counted(from, query)}
    </div>
  )
}

function counted(
  { readable }: Table,
  { data, isError }: { data: number | null | undefined; isError: boolean },
): string {
  if (!readable) return 'cannot be read here'
  if (isError) return 'could not be counted'
  if (data === undefined) return '…'
  if (data === null) return 'not counted'
  if (data === 0) return 'no rows'
  const about = data > COUNTED_MAX ? 'about ' : ''
  return `${about}${data.toLocaleString('en')} ${data === 1 ? 'row' : 'rows'}`
}
