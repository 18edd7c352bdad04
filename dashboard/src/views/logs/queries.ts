import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { setValues } from '../../parts/log-filters.tsx'

export type LogEntry = Schema<'LogEntry'>
export type Source = LogEntry['source']

export interface Filters {
  source?: Source | ''
  request_id?: string
  route?: string
  status?: string
  key_id?: string
  from?: string
  to?: string
}

export const NAMES = [
  'source',
  'request_id',
  'route',
  'status',
  'key_id',
  'from',
  'to',
] as const satisfies readonly (keyof Filters)[]

/** Newest first; the next page is older. */
export function logsQuery(search: Filters) {
  const filters = setValues(search, NAMES)
  return infiniteQueryOptions({
    queryKey: ['logs', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, ...(pageParam === null ? {} : { cursor: pageParam }) }
      return answerOf(api.GET('/api/logs', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
  })
}

/** What tells an entry from all others, and when it was: there is no other way to ask for one. */
export interface EntryPlace {
  source: Source
  id: string
  /** ISO 8601. */
  time: string
}

/** Few entries are of one millisecond. */
export function entryQuery({ source, id, time }: EntryPlace) {
  return queryOptions({
    queryKey: ['logs', 'at', time, source],
    queryFn: ({ signal }) => {
      const [from, to] = [0, 1].map(more => new Date(Date.parse(time) + more).toISOString())
      const query = { source, limit: 500, ...(from && to ? { from, to } : {}) }
      return answerOf(api.GET('/api/logs', { params: { query }, signal }))
    },
    select: ({ data }) => data.find(entry => entry.id === id) ?? null,
  })
}
