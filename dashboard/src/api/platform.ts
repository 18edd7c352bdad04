// How the platform does: read by the views that show health.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from './client.ts'

/** Health is looked at while it changes. */
const refetchInterval = 15_000

/** For administrators. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/status', { signal })),
  refetchInterval,
})

/** A server that is down is an answer here as well, with status 503. */
export const oauthHealthQuery = queryOptions({
  queryKey: ['oauth-health'],
  queryFn: async ({ signal }): Promise<Schema<'OAuthServerHealth'>> => {
    const call = api.GET('/api/oauthsrv/health', { signal })
    const { error } = await call
    return error !== undefined && 'public' in error ? error : answerOf(call)
  },
  refetchInterval,
})

/** The same of every part, for administrators. */
export const gatewayHealthQuery = queryOptions({
  queryKey: ['gateway-health'],
  queryFn: async ({ signal }): Promise<Schema<'GatewayHealth'>> => {
    const call = api.GET('/api/gateway/health', { signal })
    const { error } = await call
    return error !== undefined && 'parts' in error ? error : answerOf(call)
  },
  refetchInterval,
})

export const bridgeQuery = queryOptions({
  queryKey: ['bridge-status'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/bridge/status', { signal })),
})
