// The database session that a caller's SQL runs in: who they are, as policies and triggers see it.

import type { ApiKeyRole } from '../keys/schemas.ts'
import type { EndUser } from '../oauth/access-token.ts'
import type { SqlSession } from './run-sql.ts'

export interface SqlCaller {
  role: ApiKeyRole
  /** The signed-in user whose access token came beside the key; null without one. */
  endUser: EndUser | null
  requestId: string
  request: Request
  searchPath: readonly string[]
}

/** Headers that hold credentials; everything else of the request may be read by SQL. */
const HIDDEN_HEADERS = new Set(['apikey', 'authorization', 'cookie', 'proxy-authorization'])

/** The session of `caller`. The API key alone decides the role: a `role` among the user's claims is overwritten. */
export function sqlSession({ role, endUser, requestId, request, searchPath }: SqlCaller): SqlSession {
  const headers = [...request.headers].filter(([name]) => !HIDDEN_HEADERS.has(name))
  return {
    role,
    claims: JSON.stringify({ ...endUser?.claims, role }),
    requestId,
    searchPath,
    method: request.method,
    path: new URL(request.url).pathname,
    headers: JSON.stringify(Object.fromEntries(headers)),
  }
}
