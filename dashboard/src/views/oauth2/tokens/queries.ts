// Tokens are sent and forgotten: none is in a key of the cache, nor in what a mutation would keep.

import { answerOf, api, type Schema } from '../../../api/client.ts'

export type Introspection = Schema<'Introspection'>
export type ActiveToken = Extract<Introspection, { active: true }>
export type Revocation = Schema<'Revocation'>
export type Flush = Schema<'Flush'>

export function introspect(token: string): Promise<Introspection> {
  return answerOf(api.POST('/api/oauthsrv/introspect', { body: { token } }))
}

export function revokeToken(token: string): Promise<Revocation> {
  return answerOf(api.POST('/api/oauthsrv/revoke', { body: { token } }))
}

/** In batches for at most 20 seconds; `complete: false` says that there are more. */
export function flushTokens(): Promise<Flush> {
  return answerOf(api.POST('/api/oauthsrv/flush'))
}
