// How a session of the dashboard reaches users' data: as service_role, over the same connection as an API key, and with
// nothing of the session itself. Pure.

import type { Session } from '../../clients/identity.ts'
import type { DatabaseCaller } from '../../db/caller-session.ts'
import { shareName } from '../api-keys/limit/network.ts'

interface SessionCall {
  principal: { session: Pick<Session, 'id'> }
  caller: { address: string | null }
  request: Pick<Request, 'method' | 'headers'>
  requestId: string
  path: string
}

/**
 * The caller that the database gets. No cookie is passed on: a trigger of whoever holds a service_role key could
 * collect an administrator's session, whatever its cookie is called.
 */
export function sessionCaller({ principal, caller, request, requestId, path }: SessionCall): DatabaseCaller {
  const headers = new Headers(request.headers)
  headers.delete('cookie')
  return {
    role: 'service_role',
    claims: null,
    share: shareName(principal.session.id, caller.address),
    requestId,
    method: request.method,
    path,
    headers,
  }
}
