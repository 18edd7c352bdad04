// One call to the data API, and the database session it gets: who it acts as, what its policies may read.

import type { DatabaseRole, DataSession } from '../../db/database.ts'
import { DomainError } from '../../errors.ts'
import { STATEMENT_TIMEOUT_MS } from './limits.ts'

/** What a verb needs to know of the request; the body is read only by verbs that have one. */
export interface DataCall {
  /** Table, view or function, as in the path. */
  readonly name: string
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  /** The API key alone decides the role (design section 3.4). */
  readonly role: DatabaseRole
  /** Claims of the signed-in user; null when only a key came. */
  readonly claims: Readonly<Record<string, unknown>> | null
  readonly requestId: string
  readonly readBodyText: () => Promise<string>
}

/** Policies read `request.headers`; credentials are not theirs to read, and would end up in logs. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['apikey', 'authorization', 'cookie'])

/** The session of a call in `schema`. `role` in the claims is always the key's. */
export function dataSession(call: DataCall, schema: string): DataSession {
  const headers = [...call.headers].filter(([name]) => !CREDENTIAL_HEADERS.has(name))
  return {
    role: call.role,
    claims: JSON.stringify({ ...call.claims, role: call.role }),
    requestId: call.requestId,
    searchPath: [schema],
    timeoutMs: STATEMENT_TIMEOUT_MS,
    method: call.method,
    path: call.url.pathname,
    headers: JSON.stringify(Object.fromEntries(headers)),
  }
}

/** The schema a call means: `Accept-Profile` on reads, `Content-Profile` on writes, else the first exposed one. */
export function chooseSchema(call: Pick<DataCall, 'method' | 'headers'>, schemas: readonly string[]): string {
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  const asked = call.headers.get(isRead ? 'accept-profile' : 'content-profile')
  const schema = asked ?? schemas[0] ?? 'public'
  if (schemas.includes(schema)) return schema
  throw new DomainError('schema_not_exposed', `Invalid schema: ${schema.slice(0, 100)}`, {
    hint: `Only the following schemas are exposed: ${schemas.join(', ')}`,
  })
}
