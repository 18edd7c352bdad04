// Tokens of end users, as joins and pushes carry them. Whose they are is not known here.

import { KEY_PREFIX } from '../../api-keys/record/key-format.ts'
import { MessageError } from './message-error.ts'

/** In characters: more is no token that any issuer makes. */
const TOKEN_LENGTH_MAX = 16_384

/**
 * The end user's token of a join; undefined: it has none, or a key in its place, as supabase-js sends without a
 * session. Old clients call it `user_token`; where both are sent it counts, as in supabase/realtime. Throws
 * `MessageError`.
 */
export function readUserToken(payload: {
  readonly access_token?: string | null | undefined
  readonly user_token?: string | null | undefined
}): string | undefined {
  const first = payload.access_token ?? payload.user_token
  if (first == null || isKey(first)) return undefined
  return bounded(payload.user_token ?? first)
}

/**
 * The token of an `access_token` push; undefined: nothing to do, as with null, a key or no text. Throws
 * `MessageError`.
 */
export function readAccessToken(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('access_token' in payload)) return undefined
  const token = payload.access_token
  return typeof token !== 'string' || isKey(token) ? undefined : bounded(token)
}

/** Ours, or one of Supabase: who the socket's key is has been checked when it was opened. */
function isKey(token: string): boolean {
  return token.startsWith('sb_') || Object.values(KEY_PREFIX).some(prefix => token.startsWith(prefix))
}

function bounded(token: string): string {
  if (token.length <= TOKEN_LENGTH_MAX) return token
  throw new MessageError('MalformedJWT', `The token is longer than ${TOKEN_LENGTH_MAX} characters`)
}
