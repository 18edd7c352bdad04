import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import type { GivenUp } from './attention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const refetchInterval = 15_000

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'of overview'],
  queryFn: async ({ signal }) =>
    (await answerOf(api.GET('/api/webhooks', { params: { query: { limit: 1_000 } }, signal }))).data,
  refetchInterval,
})

export const migrationsQuery = queryOptions({
  queryKey: ['migrations', 'of overview'],
  queryFn: async ({ signal }) =>
    (await answerOf(api.GET('/api/migrations/idempotent/status', { signal }))).summary,
})

/** A day ago, to the hour: the address of a question must not be another one at each drawing. */
export function yesterday(): string {
  return new Date(Math.floor((Date.now() - DAY_MS) / HOUR_MS) * HOUR_MS).toISOString()
}

/** Where the server's "no" was read by the one who asked: a mistake in SQL, a row that was refused. */
const READ_AT_ONCE = new Set(['sql', 'table'])

/** For administrators: newest first, those of the last hundred failures that nobody may have seen. */
export function failedChangesQuery(from: string) {
  return queryOptions({
    queryKey: ['audit-logs', 'failed since', from],
    queryFn: async ({ signal }) => {
      const query = { outcome: 'failed', from, limit: 100 } as const
      const { data } = await answerOf(api.GET('/api/audit-logs', { params: { query }, signal }))
      return data.filter(({ target_kind: kind }) => !READ_AT_ONCE.has(kind))
    },
    refetchInterval,
  })
}

/** For administrators. */
export const lastChangesQuery = queryOptions({
  queryKey: ['audit-logs', 'last'],
  queryFn: async ({ signal }) =>
    (await answerOf(api.GET('/api/audit-logs', { params: { query: { limit: 8 } }, signal }))).data,
  refetchInterval,
})

/** As many webhooks are asked for their dead letters; more of them is one request too many. */
const ASKED_MAX = 20

/** Events that were given up in the last day, by webhook; those without any are left out. */
export function givenUpQuery(webhooks: readonly Schema<'Webhook'>[]) {
  const asked = webhooks.slice(0, ASKED_MAX)
  return queryOptions({
    queryKey: ['dead-letters', 'of overview', asked.map(({ id }) => id)],
    queryFn: async ({ signal }): Promise<GivenUp[]> => {
      const all = await Promise.all(asked.map(webhook => givenUpOf(webhook, signal)))
      return all.filter(({ count }) => count > 0)
    },
    staleTime: 60_000,
  })
}

async function givenUpOf(webhook: Schema<'Webhook'>, signal: AbortSignal): Promise<GivenUp> {
  const params = { path: { id: webhook.id }, query: { limit: 100 } }
  const { data } = await answerOf(api.GET('/api/webhooks/{id}/dead-letters', { params, signal }))
  const since = Date.now() - DAY_MS
  const count = data.filter(
    letter => letter.resolved_at === null && Date.parse(letter.created_at) >= since,
  ).length
  return { webhook, count }
}
