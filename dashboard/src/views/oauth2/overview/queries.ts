import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { ApiError, errorOf } from '../../../api/errors.ts'

export type Health = Schema<'OAuthServerHealth'>
export type Change = Schema<'AuditLog'>

const ALL = ['oauth2', 'overview'] as const
const LOOK_INTERVAL_MS = 30_000

/** A server that is down is an answer here: status 503 has the same body. */
export const healthQuery = queryOptions({
  queryKey: [...ALL, 'health'],
  queryFn: async ({ signal }): Promise<Health> => {
    const { data, error, response } = await api.GET('/api/oauthsrv/health', { signal })
    const health = data ?? error
    if (health !== undefined && 'public' in health) return health
    throw errorOf(response.status, error)
  },
  refetchInterval: LOOK_INTERVAL_MS,
})

export const bridgeQuery = queryOptions({
  queryKey: [...ALL, 'bridge'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/bridge/status', { signal })),
})

export const clientsQuery = queryOptions({
  queryKey: [...ALL, 'clients'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/clients', { signal })),
})

export const claimsQuery = queryOptions({
  queryKey: [...ALL, 'claims'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/claims-config', { signal })),
})

/** The algorithms of a set's keys, that of the one which signs first; none where there is no such set yet. */
export function algorithmsQuery(set: string) {
  return queryOptions({
    queryKey: [...ALL, 'algorithms', set],
    queryFn: async ({ signal }): Promise<string[]> => {
      try {
        const params = { path: { set } }
        const keys = await answerOf(api.GET('/api/oauthsrv/keys/{set}', { params, signal }))
        return keys.map(({ algorithm, key_type: type }) => algorithm ?? type)
      } catch (err) {
        if (err instanceof ApiError && err.code === 'not_found') return []
        throw err
      }
    },
  })
}

/** What the OAuth2 parts write into the audit log; it takes one kind a call. */
const TARGET_KINDS = ['oauth_client', 'signing_key', 'claims_config', 'subject', 'oauth_server']
const CHANGES_SHOWN = 8

/** The last changes, newest first. For administrators. */
export const changesQuery = queryOptions({
  queryKey: [...ALL, 'changes'],
  queryFn: async ({ signal }): Promise<Change[]> => {
    const pages = await Promise.all(
      TARGET_KINDS.map(kind => {
        const query = { target_kind: kind, limit: CHANGES_SHOWN }
        return answerOf(api.GET('/api/audit-logs', { params: { query }, signal }))
      }),
    )
    return pages
      .flatMap(({ data }) => data)
      .sort((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(0, CHANGES_SHOWN)
  },
})
