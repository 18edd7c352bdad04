// What belongs to a row: the rows that its foreign keys refer to, and those that refer to it.

import { Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { structureQuery } from '../../../parts/database/schema-query.ts'
import { tableHref } from '../../../parts/database/table-facts.ts'
import {
  countingOf,
  type IncomingKey,
  keyText,
  nameBeside,
  referredHref,
  referringFilters,
  servedTable,
} from './facts-of-tables.ts'
import { COUNTED_MAX, countQuery, type Row, type Table } from './queries.ts'
import type { Filter } from './row-query.ts'

/** Keys that are asked how many rows have the value: each is a query. */
const ASKED_MAX = 20
const COUNT_STALE_MS = 60_000
export const NOT_SERVED = 'in a schema that is not served here'

interface Shown {
  table: Table
  tables: readonly Table[]
  row: Row
}

/** Links to the rows that this one refers to. */
export function ReferredRows({ table, tables, row }: Shown) {
  const keys = table.foreign_keys.filter(({ columns }) => columns.every(name => row[name] != null))
  if (keys.length === 0) return null
  return (
    <section aria-label="Refers to" className="flex flex-wrap gap-x-4 gap-y-1">
      <span className="text-kumo-subtle">Refers to</span>
      {keys.map(key => {
        const { references, columns } = key
        const text = `${keyText(key, row)} in ${nameBeside(table.schema, references)}`
        const href = referredHref(key, row, tables)
        const id = `${columns.join()} ${references.schema}.${references.table}`
        if (href !== undefined)
          return (
            <Link key={id} href={href} className="max-w-full truncate">
              {text}
            </Link>
          )
        return (
          <span key={id} className="max-w-full truncate">
            {text}, {NOT_SERVED}
          </span>
        )
      })}
    </section>
  )
}

/** The tables with a foreign key to this row, and how many of their rows have its value. */
export function ReferringRows({ table, tables, row }: Shown) {
  const { data, isError } = useQuery(structureQuery(table.schema, table.name))
  const keys = data?.referenced_by ?? []
  const left = keys.length - ASKED_MAX
  return (
    <section aria-label="Referred to by" className="flex flex-wrap gap-x-4 gap-y-1">
      <span className="text-kumo-subtle">Referred to by</span>
      {isError && 'It could not be read.'}
      {data?.referenced_by.length === 0 && <span>no table</span>}
      {keys.slice(0, ASKED_MAX).map(key => (
        <ReferringKey
          key={`${key.schema}.${key.table} ${key.name}`}
          of={key}
          name={nameBeside(table.schema, key)}
          from={servedTable(tables, key)}
          row={row}
        />
      ))}
      {left > 0 && (
        <Link href={tableHref(table.schema, table.name, { tab: 'structure' })}>
          and {left} more {left === 1 ? 'key' : 'keys'}
        </Link>
      )}
    </section>
  )
}

function ReferringKey(props: { of: IncomingKey; name: string; from: Table | undefined; row: Row }) {
  const { of: key, from } = props
  const filters = referringFilters(key, props.row)
  const name = (
    <>
      {props.name} <code className="wrap-anywhere">({key.columns.join(', ')})</code>
    </>
  )
  if (filters === undefined) return <div>{name}: none, the value is NULL</div>
  if (from === undefined)
    return (
      <div>
        {name}: {NOT_SERVED}
      </div>
    )
  const search = Object.fromEntries(filters.map(({ parameter, value }) => [parameter, value]))
  return (
    <div>
      <Link href={tableHref(from.schema, from.name, search)}>{name}</Link>:{' '}
      <ReferringCount from={from} filters={filters} />
    </div>
  )
}

function ReferringCount({ from, filters }: { from: Table; filters: readonly Filter[] }) {
  const counting = countingOf(from)
  const { data, isError } = useQuery({ ...countQuery(from, filters, counting), staleTime: COUNT_STALE_MS })
  if (!from.readable) return 'cannot be read here'
  if (isError) return 'could not be counted'
  if (data === undefined) return '…'
  if (data === null) return 'not counted'
  const isAbout = counting === 'planned' || data > COUNTED_MAX
  if (data === 0 && !isAbout) return 'no rows'
  return `${isAbout ? 'about ' : ''}${data.toLocaleString('en')} ${data === 1 ? 'row' : 'rows'}`
}
