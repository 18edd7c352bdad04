// Codes and tokens in the database, by the SHA-256 of their value. What is found may be over: who asks looks at its
// times.

import { createHash } from 'node:crypto'
import type { Database } from '../../service/database.ts'
import type { TokenKind } from './token-values.ts'

export interface NewToken {
  readonly clientId: string
  /** Undefined for a client's own token, and for a device that waits. */
  readonly consentRequestId?: string | undefined
  readonly subject?: string | undefined
  readonly scope: readonly string[]
  readonly audience?: readonly string[] | undefined
  /** Of a code: what the request for it said. */
  readonly redirectUri?: string | undefined
  readonly codeChallenge?: string | undefined
  /** Of a device. */
  readonly userCode?: string | undefined
  /** Seconds since 1970. */
  readonly issuedAt: number
  readonly expiresAt: number
}

export interface StoredToken {
  readonly clientId: string
  readonly consentRequestId: string | null
  readonly scope: string[]
  readonly audience: string[]
  readonly redirectUri: string | null
  readonly codeChallenge: string | null
  readonly issuedAt: number
  readonly expiresAt: number
  readonly wasUsed: boolean
}

export interface TokenStore {
  insert(kind: TokenKind, value: string, token: NewToken): Promise<void>
  find(kind: TokenKind, value: string): Promise<StoredToken | undefined>
  findDevice(userCode: string): Promise<StoredToken | undefined>
  /** Gives a waiting device its consent; false when its user code is unknown, expired or was answered. */
  letDeviceIn(userCode: string, consentRequestId: string): Promise<boolean>
  /** Uses a code or token up; false when somebody was quicker. */
  use(kind: TokenKind, value: string): Promise<boolean>
  /** Notes the id of a client's assertion until it is over; false when it was shown before. */
  useAssertion(clientId: string, id: string, expiresAt: number): Promise<boolean>
  remove(kind: TokenKind, value: string): Promise<void>
  /** Ends the tokens of a consent, or the access tokens of a client; not their codes, nor the consent. */
  endTokensOf(consentRequestId: string, kinds?: readonly TokenKind[]): Promise<void>
  endAccessTokensOfClient(clientId: string): Promise<void>
}

const STORED = `client_id as "clientId", consent_request_id as "consentRequestId", scope, audience,
  redirect_uri as "redirectUri", code_challenge as "codeChallenge", extract(epoch from issued_at)::float8 as "issuedAt",
  extract(epoch from expires_at)::float8 as "expiresAt", used_at is not null as "wasUsed"`
const THIS_ONE = 'kind = $1 and value_hash = $2'
/** The year 3000: a client may write any number into its assertion. */
const SECONDS_MAX = 32_503_680_000

export function makeTokenStore(database: Database): TokenStore {
  const keyOf = (kind: TokenKind, value: string) => [kind, hashOf(value)]
  const select = async (where: string, params: unknown[]) =>
    (await database.query<StoredToken>(`select ${STORED} from tokens where ${where}`, params)).rows[0]
  const change = async (sql: string, params: unknown[]) => (await database.query(sql, params)).rowCount === 1
  return {
    insert: async (kind, value, token) => void (await change(INSERT, [kind, ...valuesOf(value, token)])),
    find: (kind, value) => select(THIS_ONE, keyOf(kind, value)),
    findDevice: userCode => select('user_code_hash = $1', [hashOf(userCode)]),
    letDeviceIn: (userCode, consentRequestId) =>
      change(
        `update tokens set consent_request_id = $2
          where user_code_hash = $1 and consent_request_id is null and expires_at > now()`,
        [hashOf(userCode), consentRequestId],
      ),
    use: (kind, value) =>
      change(`update tokens set used_at = now() where ${THIS_ONE} and used_at is null`, keyOf(kind, value)),
    useAssertion: (clientId, id, expiresAt) =>
      change(
        `insert into tokens (kind, value_hash, client_id, issued_at, expires_at)
         values ('assertion', $1, $2, now(), to_timestamp($3)) on conflict do nothing`,
        [hashOf(JSON.stringify([clientId, id])), clientId, Math.min(expiresAt, SECONDS_MAX)],
      ),
    remove: async (kind, value) =>
      void (await change(`delete from tokens where ${THIS_ONE}`, keyOf(kind, value))),
    async endTokensOf(consentRequestId, kinds = ['access', 'refresh']) {
      await database.query('delete from tokens where consent_request_id = $1 and kind = any($2)', [
        consentRequestId,
        kinds,
      ])
    },
    async endAccessTokensOfClient(clientId) {
      await database.query(`delete from tokens where client_id = $1 and kind = 'access'`, [clientId])
    },
  }
}

const INSERT = `
  insert into tokens (kind, value_hash, client_id, consent_request_id, subject, scope, audience, redirect_uri,
    code_challenge, user_code_hash, issued_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11), to_timestamp($12))`

function valuesOf(value: string, token: NewToken): unknown[] {
  return [
    hashOf(value),
    token.clientId,
    token.consentRequestId,
    token.subject,
    token.scope,
    token.audience ?? [],
    token.redirectUri,
    token.codeChallenge,
    token.userCode && hashOf(token.userCode),
    token.issuedAt,
    token.expiresAt,
  ]
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}
