import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { errorOf } from '../../../api/errors.ts'

export type DiscoveryDocument = Schema<'DiscoveryDocument'>
export type Registration = Schema<'OAuthServerHealth'>['dynamic_client_registration']

/** The document as the server gives it; at most a minute old. */
export const discoveryQuery = queryOptions({
  queryKey: ['oauth2', 'discovery'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/discovery', { signal })),
})

/** Whether applications may register themselves. A server that is down answers this too, with status 503. */
export const registrationQuery = queryOptions({
  queryKey: ['oauth2', 'discovery', 'registration'],
  queryFn: async ({ signal }): Promise<Registration> => {
    const { data, error, response } = await api.GET('/api/oauthsrv/health', { signal })
    const health = data ?? error
    if (health !== undefined && 'public' in health) return health.dynamic_client_registration
    throw errorOf(response.status, error)
  },
})
