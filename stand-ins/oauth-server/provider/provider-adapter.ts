// Where oidc-provider keeps its codes and tokens: Postgres, by the SHA-256 of the value. Clients come from the server's
// own store (library-client.ts). The library's `jti` is the value itself, so it is never written down.

import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Database } from '../../service/database.ts'
import { type ValueKind, withPrefix } from '../tokens/token-values.ts'

/** Somebody used the same code or refresh token at the same time, and was first. */
export class AlreadyConsumedError extends Error {}

interface EntryRow {
  readonly payload: AdapterPayload
  readonly consumed: number | null
}

const ENTRY = 'payload, extract(epoch from consumed_at)::float8 as consumed'

/** The entries of one model of the library, named as the library names it. */
export function makeEntryAdapter(database: Database, kind: string): Adapter {
  return {
    async upsert(value, payload, expiresInSeconds) {
      const { jti: _value, userCode, ...stored } = payload
      await database.query(
        `insert into provider_entries (kind, value_hash, client_id, grant_id, user_code_hash, payload, expires_at)
         values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
         on conflict (kind, value_hash) do update set grant_id = excluded.grant_id, payload = excluded.payload,
           user_code_hash = coalesce(excluded.user_code_hash, provider_entries.user_code_hash),
           expires_at = excluded.expires_at`,
        [
          kind,
          hashOf(ownValue(kind, value)),
          payload.clientId ?? null,
          payload.grantId ?? null,
          userCode === undefined ? null : hashOf(userCode),
          JSON.stringify(stored),
          expiresInSeconds ?? null,
        ],
      )
    },
    async find(value) {
      const { rows } = await database.query<EntryRow>(
        `select ${ENTRY} from provider_entries where kind = $1 and value_hash = $2`,
        [kind, hashOf(ownValue(kind, value))],
      )
      return readEntry(rows[0], { jti: value })
    },
    ...makeLookups(database, kind),
  }
}

/** Gives a device another user code: the library's own alphabets are not Hydra's. */
export async function setUserCode(database: Database, deviceCode: string, userCode: string): Promise<void> {
  await database.query(
    `update provider_entries set user_code_hash = $2 where kind = 'DeviceCode' and value_hash = $1`,
    [hashOf(deviceCode), hashOf(userCode)],
  )
}

/**
 * Gives a waiting device its consent. False when the user code is unknown, expired or already has one. Not by way of
 * the library's model, which could not save what it finds by a user code: the value of the device code is not stored.
 */
export async function grantDeviceCode(
  database: Database,
  userCode: string,
  consentRequestId: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `update provider_entries
        set grant_id = $2, payload = payload || jsonb_build_object('grantId', $2::text)
      where user_code_hash = $1 and grant_id is null and expires_at > now()`,
    [hashOf(userCode), consentRequestId],
  )
  return rowCount === 1
}

function makeLookups(database: Database, kind: string): Omit<Adapter, 'upsert' | 'find'> {
  const where = 'kind = $1 and value_hash = $2'
  return {
    async findByUserCode(userCode) {
      const { rows } = await database.query<EntryRow>(
        `select ${ENTRY} from provider_entries where kind = $1 and user_code_hash = $2`,
        [kind, hashOf(userCode)],
      )
      return readEntry(rows[0], { userCode })
    },
    async findByUid() {
      // The library's own login sessions are not used (flow/authorize-endpoint.ts says why).
      return undefined
    },
    async consume(value) {
      const { rowCount } = await database.query(
        `update provider_entries set consumed_at = now() where ${where} and consumed_at is null`,
        [kind, hashOf(ownValue(kind, value))],
      )
      if (rowCount === 0) throw new AlreadyConsumedError(`This ${kind} was used already.`)
    },
    async destroy(value) {
      await database.query(`delete from provider_entries where ${where}`, [
        kind,
        hashOf(ownValue(kind, value)),
      ])
    },
    async revokeByGrantId(grantId) {
      await database.query('delete from provider_entries where kind = $1 and grant_id = $2', [kind, grantId])
    },
  }
}

function readEntry(row: EntryRow | undefined, hidden: AdapterPayload): AdapterPayload | undefined {
  return row && { ...row.payload, ...hidden, ...(row.consumed === null ? {} : { consumed: row.consumed }) }
}

/** The library's models whose values have a prefix. */
const VALUE_KINDS: ReadonlyMap<string, ValueKind> = new Map([
  ['AccessToken', 'accessToken'],
  ['ClientCredentials', 'accessToken'],
  ['RefreshToken', 'refreshToken'],
  ['AuthorizationCode', 'authorizationCode'],
  ['DeviceCode', 'deviceCode'],
])

function ownValue(model: string, value: string): string {
  const kind = VALUE_KINDS.get(model)
  return kind === undefined ? value : withPrefix(kind, value)
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}
