// How whoever calls reaches users' data: an API key as its role, or that of persons, with the claims of its user; a
// session of the dashboard as service_role with nothing of its own. Pure.

import type { Session } from '../../clients/identity.ts'
import type { DatabaseCaller } from '../../db/caller-session.ts'
import { shareName } from '../api-keys/limit/network.ts'
import type { ApiKey } from '../api-keys/record/schemas.ts'
import type { Caller } from '../audit/caller.ts'
import type { EndUser } from '../oauth/end-user/access-token.ts'
import { type CallerRoleConfig, callerRole } from './caller-role.ts'

interface Call {
  deps: { readonly config: CallerRoleConfig }
  principal:
    | { kind: 'api_key'; key: Pick<ApiKey, 'id' | 'role'>; endUser: Pick<EndUser, 'claims'> | null }
    | { kind: 'session'; session: Pick<Session, 'id'> }
  caller: Pick<Caller, 'address' | 'requestId'>
  request: Pick<Request, 'method' | 'headers'>
  path: string
}

/**
 * The caller that the database gets. Of a session no cookie is passed on: a trigger of whoever holds a service_role key
 * could collect an administrator's session, whatever its cookie is called.
 */
export function databaseCaller({ deps, principal, caller, request, path }: Call): DatabaseCaller {
  const { method, headers } = request
  const call = { requestId: caller.requestId, method, path }
  if (principal.kind === 'api_key') {
    const { key, endUser } = principal
    const share = shareName(key.id, caller.address)
    const role = callerRole(deps.config, key.role, endUser?.claims ?? null)
    return { ...call, role, claims: endUser?.claims ?? null, share, headers }
  }
  const share = shareName(principal.session.id, caller.address)
  return { ...call, role: 'service_role', claims: null, share, headers: withoutCookies(headers) }
}

/** The same call as an anon key would make it, for the person with these claims; null: for nobody. */
export function anonCaller(call: Call, claims: DatabaseCaller['claims']): DatabaseCaller {
  const role = callerRole(call.deps.config, 'anon', claims)
  return { ...databaseCaller(call), role, claims }
}

function withoutCookies(sent: Headers): Headers {
  const headers = new Headers(sent)
  headers.delete('cookie')
  return headers
}
