/**
 * Owns the typed door to the password exchanges inside `pg`, which its type package does not describe.
 * `pg` is pinned to an exact version; the gateway's tests log in by SCRAM and MD5 and so notice a change.
 */
import { createRequire } from 'node:module'

/** Untyped on purpose: the interfaces below are all that is relied on. */
const requirePg = createRequire(import.meta.url)

/** The state of one SCRAM exchange; `response` is what is sent next. */
export interface ScramSession {
  mechanism: string
  response: string
}

interface Exchanges {
  startSession(mechanisms: string[]): ScramSession
  continueSession(session: ScramSession, password: string, serverData: string): Promise<void>
  finalizeSession(session: ScramSession, serverData: string): void
}

interface Hashes {
  postgresMd5PasswordHash(user: string, password: string, salt: Buffer): Promise<string>
}

/** RFC 5802 with SHA-256, without channel binding; each throws when the server breaks the exchange. */
export const { startSession, continueSession, finalizeSession } = requirePg(
  'pg/lib/crypto/sasl.js',
) as Exchanges

/** The answer to AuthenticationMD5Password. */
export const { postgresMd5PasswordHash } = requirePg('pg/lib/crypto/utils.js') as Hashes
