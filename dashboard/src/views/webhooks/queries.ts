import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { parseExactly } from '../../parts/exact-json.ts'

export type Webhook = Schema<'Webhook'>
export type WebhookWithStatistics = Schema<'WebhookWithStatistics'>
export type WebhookWithWaiting = Schema<'WebhookWithWaiting'>
export type Delivery = Schema<'Delivery'>
export type DeadLetter = Schema<'DeadLetter'>
export type Attempt = Schema<'Attempt'>

/** What the log is narrowed to; the names are those of the API. */
export interface LogFilter {
  event_type?: Delivery['event_type']
  outcome?: 'succeeded' | 'failed'
  from?: string
  to?: string
}

/** How often what changes by itself is read again, while somebody looks. */
export const REFRESH_MS = 5_000
const LIST_REFRESH_MS = 15_000
const ENTRIES_PER_PAGE = 50

/** Newest first; one page holds as many as a deployment has. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: ({ signal }) =>
    answerOf(api.GET('/api/webhooks', { params: { query: { limit: 1_000 } }, signal })),
  refetchInterval: LIST_REFRESH_MS,
})

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', id, 'record'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/webhooks/{id}', { params: { path: { id } }, signal })),
    refetchInterval: REFRESH_MS,
  })
}

export function logsQuery(id: string, filter: LogFilter) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', id, 'logs', filter],
    // It would make plain objects of exact numbers.
    structuralSharing: false,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: cursor }) => {
      const query = { ...filter, limit: ENTRIES_PER_PAGE, cursor }
      const params = { path: { id }, query }
      const text = await answerOf(api.GET('/api/webhooks/{id}/logs', { params, signal, parseAs: 'text' }))
      return parseExactly(text) as Schema<'DeliveryList'>
    },
    getNextPageParam: page => page.next_cursor,
    // With older pages behind it, the newest would be read again together with all of them.
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.pages.length > 1 ? false : REFRESH_MS,
  })
}

/** One entry, for an address that was sent to somebody whose list does not reach it. */
export function logEntryQuery(id: string, logId: string) {
  return queryOptions({
    queryKey: ['webhooks', id, 'log', logId],
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const params = { path: { id, logId } }
      const answer = api.GET('/api/webhooks/{id}/logs/{logId}', { params, signal, parseAs: 'text' })
      return parseExactly(await answerOf(answer)) as Delivery
    },
    // What was sent does not change.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function deadLettersQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', id, 'dead-letters'],
    structuralSharing: false,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: cursor }) => {
      const params = { path: { id }, query: { limit: ENTRIES_PER_PAGE, cursor } }
      const answer = api.GET('/api/webhooks/{id}/dead-letters', { params, signal, parseAs: 'text' })
      return parseExactly(await answerOf(answer)) as Schema<'DeadLetterList'>
    },
    getNextPageParam: page => page.next_cursor,
  })
}

/** Tables that a webhook may watch, as suggestions; for administrators alone. */
export const watchableTablesQuery = queryOptions({
  queryKey: ['webhooks', 'tables'],
  queryFn: async ({ signal }) => {
    const { tables } = await answerOf(api.GET('/api/database/tables', { signal }))
    return tables.filter(({ kind }) => kind === 'table' || kind === 'partitioned_table')
  },
  // The form goes on without them.
  retry: false,
})

const readAgain = () => queryClient.invalidateQueries({ queryKey: ['webhooks'] })

export async function createWebhook(body: Schema<'WebhookIn'>): Promise<Webhook> {
  const created = await answerOf(api.POST('/api/webhooks', { body }))
  void readAgain()
  return created
}

export async function changeWebhook(id: string, body: Schema<'WebhookPatch'>): Promise<void> {
  await answerOf(api.PATCH('/api/webhooks/{id}', { params: { path: { id } }, body }))
  void readAgain()
}

export async function deleteWebhook(id: string): Promise<void> {
  await answerOf(api.DELETE('/api/webhooks/{id}', { params: { path: { id } } }))
  queryClient.removeQueries({ queryKey: ['webhooks', id] })
  void queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey })
}

/** The server gives up after 15 s and answers how it went; so do the two below. */
export async function sendTest(id: string): Promise<Attempt> {
  const attempt = await answerOf(api.POST('/api/webhooks/{id}/test', { params: { path: { id } } }))
  void readAgain()
  return attempt
}

export async function replayDelivery(id: string, logId: string): Promise<Attempt> {
  const params = { path: { id, logId } }
  const attempt = await answerOf(api.POST('/api/webhooks/{id}/replay/{logId}', { params }))
  void readAgain()
  return attempt
}

export async function replayDeadLetter(id: string, deadLetterId: string): Promise<Attempt> {
  const params = { path: { id, deadLetterId } }
  const attempt = await answerOf(
    api.POST('/api/webhooks/{id}/dead-letters/{deadLetterId}/replay', { params }),
  )
  void readAgain()
  return attempt
}

/** Answers how many events are queued again. */
export async function replayFailed(id: string, since: string): Promise<number> {
  const params = { path: { id } }
  const { queued } = await answerOf(api.POST('/api/webhooks/{id}/replay-failed', { params, body: { since } }))
  void readAgain()
  return queued
}
