import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { setValues } from '../../parts/log-filters.tsx'

export type AuditLog = Schema<'AuditLog'>

export interface Filters {
  actor_id?: string
  action?: string
  target_kind?: string
  target_id?: string
  outcome?: AuditLog['outcome'] | ''
  request_id?: string
  from?: string
  to?: string
}

export const NAMES = [
  'actor_id',
  'action',
  'target_kind',
  'target_id',
  'outcome',
  'request_id',
  'from',
  'to',
] as const satisfies readonly (keyof Filters)[]

/** Newest first; the next page is older. */
export function auditLogsQuery(search: Filters) {
  const filters = setValues(search, NAMES)
  return infiniteQueryOptions({
    queryKey: ['audit-logs', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, ...(pageParam === null ? {} : { cursor: pageParam }) }
      return answerOf(api.GET('/api/audit-logs', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
  })
}

/** One request makes few entries; there is no other way to ask for one. */
export function entryQuery(requestId: string, id: string) {
  return queryOptions({
    queryKey: ['audit-logs', 'of request', requestId],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/audit-logs', { params: { query: { request_id: requestId } }, signal })),
    select: ({ data }) => data.find(entry => entry.id === id) ?? null,
  })
}
