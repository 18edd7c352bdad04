// The SQL on `quoin.api_keys`, one statement each. Decides nothing and speaks to no limiter.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { KeysetPosition } from '../../../db/keyset-page.ts'
import type { Statement } from '../../../db/sql.ts'
import type { KeyRow } from './key-row.ts'
import { type ProjectScope, projectOf } from './project-scope.ts'
import type { ApiKeyRole } from './schemas.ts'

/** What the statements here need of the platform's database. */
export type KeyDatabase = Pick<PlatformDatabase, 'query'>

const OWN_COLUMNS =
  'k.id, k.project_id, k.name, k.role, k.prefix, k.last_four, k.rate_limit_per_minute, k.rate_limit_per_address, ' +
  'k.created_at, k.expires_at, k.last_used_at, k.revoked_at, k.key_hash, k.previous_key_hash, k.previous_expires_at'
/** The status of its project is part of what a key may do. Both versions only grow, so their sum says what is newer. */
const VERSION = 'k.version + p.status_version'
const COLUMNS = `${OWN_COLUMNS}, p.status as project_status, ${VERSION} as version`
const FROM_KEYS = 'from quoin.api_keys k join quoin.projects p on p.id = k.project_id'

/** The condition that a key `k` may still be used, whatever its project's status is. */
export const IS_ACTIVE_KEY = '(k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))'

/**
 * The project of the key `$1`, held until the change of the key is committed. So a change of its status waits, and the
 * other way round: else two rows could have the same version.
 */
const FROM_LOCKED_PROJECT = `from (select p.id, p.status, p.status_version from quoin.projects p
    where p.id = (select project_id from quoin.api_keys where id = $1::uuid) for share of p) p`

export interface NewKey {
  /** null: the oldest project, which every deployment has. */
  projectId: string | null
  name: string
  role: ApiKeyRole
  prefix: string
  lastFour: string
  keyHash: string
  rateLimitPerMinute: number | null
  rateLimitPerAddress: number | null
  expiresAt: string | null
}

/**
 * The statement that stores a new key; answers its row, or none when the project does not exist. For any client of
 * Postgres. It waits for a change of the project's status under way, and the other way round: else a key made meanwhile
 * would go on with the status before.
 */
export function insertKeyStatement(key: NewKey): Statement<string | null> {
  return {
    sql: `with p as (select p.id, p.status, p.status_version from quoin.projects p
        where p.id = coalesce($1::uuid, (select id from quoin.projects order by created_at, id limit 1)) for share of p)
      insert into quoin.api_keys as k
        (project_id, name, role, prefix, last_four, key_hash, rate_limit_per_minute, rate_limit_per_address, expires_at)
      select id, $2, $3, $4, $5, $6, $7::integer, $8::integer, $9::timestamptz from p
      returning ${OWN_COLUMNS}, (select status from p) as project_status,
        k.version + (select status_version from p) as version`,
    params: [
      key.projectId,
      key.name,
      key.role,
      key.prefix,
      key.lastFour,
      key.keyHash,
      textOf(key.rateLimitPerMinute),
      textOf(key.rateLimitPerAddress),
      key.expiresAt,
    ],
  }
}

/** Stores a new key; undefined when its project does not exist. */
export async function insertKey(db: KeyDatabase, key: NewKey): Promise<KeyRow | undefined> {
  const { sql, params } = insertKeyStatement(key)
  return (await db.query<KeyRow>(sql, params))[0]
}

/** The row whose key has this hash, or had it before its last rotation and is still accepted under it. */
export async function findKeyByHash(db: KeyDatabase, keyHash: string): Promise<KeyRow | undefined> {
  const sql = `select ${COLUMNS} ${FROM_KEYS}
    where k.key_hash = $1 or (k.previous_key_hash = $1 and k.previous_expires_at > now()) limit 1`
  return (await db.query<KeyRow>(sql, [keyHash], 'repeatable'))[0]
}

/** The key with this id, where it is in the scope. */
export async function findKeyById(
  db: KeyDatabase,
  id: string,
  scope: ProjectScope,
): Promise<KeyRow | undefined> {
  const sql = `select ${COLUMNS} ${FROM_KEYS}
    where k.id = $1::uuid and ($2::uuid is null or k.project_id = $2::uuid)`
  return (await db.query<KeyRow>(sql, [id, projectOf(scope)], 'repeatable'))[0]
}

export interface KeyPage {
  projectId: string | null
  /** The last row of the page before; null for the first page. */
  after: KeysetPosition | null
  limit: number
}

/** Keys from the newest to the oldest; equal times are ordered by id, so that no page skips or repeats one. */
export function listKeyRows(db: KeyDatabase, page: KeyPage): Promise<KeyRow[]> {
  const sql = `select ${COLUMNS} ${FROM_KEYS}
    where ($1::uuid is null or k.project_id = $1::uuid)
      and ($2::timestamptz is null or (k.created_at, k.id) < ($2::timestamptz, $3::uuid))
    order by k.created_at desc, k.id desc limit $4::integer`
  const { projectId, after, limit } = page
  return db.query<KeyRow>(
    sql,
    [projectId, after?.createdAt ?? null, after?.id ?? null, String(limit)],
    'repeatable',
  )
}

/** The keys of a project that may still be used, those that were used last before others; a new one counts as used. */
export function listActiveKeys(db: KeyDatabase, projectId: string, limit: number): Promise<KeyRow[]> {
  const sql = `select ${COLUMNS} ${FROM_KEYS} where k.project_id = $1::uuid and ${IS_ACTIVE_KEY}
    order by coalesce(k.last_used_at, k.created_at) desc, k.id limit $2::integer`
  return db.query<KeyRow>(sql, [projectId, String(limit)], 'repeatable')
}

export interface Rotation {
  id: string
  /** The version that the caller has read: of two rotations at once only one finds it. */
  version: number
  keyHash: string
  lastFour: string
  /** Until when the old key is accepted; null: not at all. */
  previousExpiresAt: string | null
}

/** Puts a new key in the place of the old; undefined when the row was changed or revoked since it was read. */
export async function rotateKeyRow(db: KeyDatabase, rotation: Rotation): Promise<KeyRow | undefined> {
  const sql = `update quoin.api_keys k
    set previous_key_hash = k.key_hash, previous_expires_at = $5::timestamptz, key_hash = $3, last_four = $4,
      version = k.version + 1
    ${FROM_LOCKED_PROJECT}
    where p.id = k.project_id and k.id = $1::uuid and ${VERSION} = $2::bigint and k.revoked_at is null
    returning ${COLUMNS}`
  const { id, version, keyHash, lastFour, previousExpiresAt } = rotation
  return (await db.query<KeyRow>(sql, [id, String(version), keyHash, lastFour, previousExpiresAt]))[0]
}

/** The row as it is to be, with the version that was read: of two changes at once only one finds it. */
export type KeyUpdate = Pick<
  KeyRow,
  'id' | 'version' | 'name' | 'rate_limit_per_minute' | 'rate_limit_per_address' | 'expires_at'
>

/** Writes what a key is called and may do; undefined when the row was changed or revoked since it was read. */
export async function updateKeyRow(db: KeyDatabase, update: KeyUpdate): Promise<KeyRow | undefined> {
  const sql = `update quoin.api_keys k
    set name = $3, rate_limit_per_minute = $4::integer, rate_limit_per_address = $5::integer,
      expires_at = $6::timestamptz, version = k.version + 1
    ${FROM_LOCKED_PROJECT}
    where p.id = k.project_id and k.id = $1::uuid and ${VERSION} = $2::bigint and k.revoked_at is null
    returning ${COLUMNS}`
  const { id, version, name, rate_limit_per_minute, rate_limit_per_address, expires_at } = update
  const limits = [textOf(rate_limit_per_minute), textOf(rate_limit_per_address)]
  return (await db.query<KeyRow>(sql, [id, String(version), name, ...limits, expires_at]))[0]
}

function textOf(value: number | null): string | null {
  return value === null ? null : String(value)
}

/** Marks the key as revoked; one that is revoked keeps its time and its version. */
export async function revokeKeyRow(db: KeyDatabase, id: string): Promise<KeyRow | undefined> {
  const sql = `update quoin.api_keys k
    set revoked_at = coalesce(k.revoked_at, now()),
      version = k.version + case when k.revoked_at is null then 1 else 0 end
    ${FROM_LOCKED_PROJECT}
    where p.id = k.project_id and k.id = $1::uuid returning ${COLUMNS}`
  return (await db.query<KeyRow>(sql, [id]))[0]
}

/** Notes when the key was last used; a time before the one that is there changes nothing. */
export function touchKeyStatement(id: string, usedAt: Date): Statement {
  return {
    sql: `update quoin.api_keys set last_used_at = $2::timestamptz
      where id = $1::uuid and (last_used_at is null or last_used_at < $2::timestamptz)`,
    params: [id, usedAt.toISOString()],
  }
}
