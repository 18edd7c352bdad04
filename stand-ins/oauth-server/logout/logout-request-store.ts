// Logout requests: a browser that asks to be signed out, until the logout page has said yes or no. Unlike logins and
// consents they are rows: their challenges are ids.

import type { Database } from '../../service/database.ts'
import { noSuchRow } from '../wire/hydra-error.ts'

export interface LogoutRequest {
  readonly challenge: string
  readonly verifier: string
  readonly subject: string
  readonly sessionId: string
  /** Path and query of the browser's request. */
  readonly requestUrl: string
  /** The client whose ID token asked; null when the browser alone did. */
  readonly clientId: string | null
  /** Where the browser goes in the end. */
  readonly redirectTo: string
  readonly wasUsed: boolean
  readonly requestedAt: Date
  readonly expiresAt: Date
}

export interface LogoutRequestStore {
  create(request: Omit<LogoutRequest, 'wasUsed'>): Promise<void>
  /** Throws a `HydraError` 404 for challenges that are unknown or were rejected. */
  get(challenge: string): Promise<LogoutRequest>
  /** Also after a rejection. Throws a `HydraError` 404. */
  accept(challenge: string): Promise<LogoutRequest>
  /** Throws a `HydraError` 404. */
  reject(challenge: string): Promise<void>
  /** The accepted request of this verifier, used from now on; undefined when there is none. */
  use(verifier: string): Promise<LogoutRequest | undefined>
}

const REQUEST = `challenge, verifier, subject, session_id as "sessionId", request_url as "requestUrl",
  client_id as "clientId", redirect_to as "redirectTo", was_used as "wasUsed", requested_at as "requestedAt",
  expires_at as "expiresAt"`

export function makeLogoutRequestStore(database: Database): LogoutRequestStore {
  const get = async (challenge: string) => {
    const { rows } = await database.query<LogoutRequest>(
      `select ${REQUEST} from logout_requests where challenge = $1 and verdict <> 'rejected'`,
      [challenge],
    )
    if (!rows[0]) throw noSuchRow()
    return rows[0]
  }
  const decide = (challenge: string, verdict: 'accepted' | 'rejected') =>
    database.query('update logout_requests set verdict = $2 where challenge = $1', [challenge, verdict])
  return {
    get,
    async create(request) {
      await database.query(
        `insert into logout_requests (challenge, verifier, subject, session_id, request_url, client_id, redirect_to,
           requested_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          request.challenge,
          request.verifier,
          request.subject,
          request.sessionId,
          request.requestUrl,
          request.clientId,
          request.redirectTo,
          request.requestedAt,
          request.expiresAt,
        ],
      )
    },
    async accept(challenge) {
      await decide(challenge, 'accepted')
      return get(challenge)
    },
    async reject(challenge) {
      if ((await decide(challenge, 'rejected')).rowCount === 0) throw noSuchRow()
    },
    async use(verifier) {
      const { rows } = await database.query<LogoutRequest>(
        `update logout_requests set was_used = true where verifier = $1 and verdict = 'accepted'
         returning ${REQUEST}`,
        [verifier],
      )
      return rows[0]
    },
  }
}
