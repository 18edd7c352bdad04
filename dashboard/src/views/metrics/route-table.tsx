import { addressOf } from '../../app/address.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { None } from '../../parts/facts.tsx'
import type { Metrics } from './queries.ts'
import { count, milliseconds } from './words.ts'

type Route = Metrics['responses']['by_route'][number]

function counted(
  id: 'requests' | 'client_errors' | 'server_errors',
  head: string,
  isSecondary = false,
): Column<Route> {
  return {
    id,
    head,
    align: 'right',
    cell: route => (route[id] === 0 ? <None>0</None> : count(route[id])),
    sortBy: route => route[id],
    isSecondary,
  }
}

function duration(id: 'p50_ms' | 'p95_ms' | 'p99_ms', head: string, isSecondary = false): Column<Route> {
  return {
    id,
    head,
    align: 'right',
    cell: route => milliseconds(route[id]),
    sortBy: route => route[id],
    isSecondary,
    className: 'whitespace-nowrap',
  }
}

const COLUMNS: Column<Route>[] = [
  {
    id: 'route',
    head: 'Route',
    cell: ({ route }) => <span className="code-text wrap-anywhere">{route}</span>,
    sortBy: ({ route }) => route.slice(route.indexOf(' ') + 1),
  },
  counted('requests', 'Answers'),
  counted('client_errors', '4xx', true),
  counted('server_errors', '5xx'),
  duration('p50_ms', 'p50', true),
  duration('p95_ms', 'p95'),
  duration('p99_ms', 'p99', true),
]

/** A route leads to its requests in the log. */
export function RouteTable({
  of: { from, responses },
  sort,
  onSort,
}: {
  of: Metrics
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  return (
    <DataTable
      label="Routes"
      columns={COLUMNS}
      rows={responses.by_route}
      rowKey={({ route }) => route}
      href={({ route }) => addressOf('/logs', { source: 'request', route, from })}
      sort={sort}
      onSort={onSort}
    />
  )
}
