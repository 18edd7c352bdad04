// The rows of sessions. A session belongs to an identity and goes with it; its token is stored as a hash.

import type { Queryable } from '../service/database.ts'
import type { Session } from './session.ts'
import { hashToken } from './session-secrets.ts'

/** A session with its place in the order in which sessions began. */
export type SessionRow = Session & { readonly seq: string }

const COLUMNS =
  'id, seq, identity_id, active, aal, authentication_methods, devices, issued_at, ' +
  'authenticated_at, expires_at'

export async function insertSession(db: Queryable, session: Session, token: string): Promise<void> {
  await db.query(
    `insert into sessions (id, active, aal, authentication_methods, issued_at, authenticated_at, expires_at,
       identity_id, devices, token_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      session.id,
      ...changingValues(session),
      session.identity_id,
      JSON.stringify(session.devices),
      hashToken(token),
    ],
  )
}

/** Writes what a further sign-in changes. Its device is in the answer to it alone: kept is the first. */
export async function updateSession(db: Queryable, session: Session): Promise<void> {
  await db.query(
    `update sessions set active = $2, aal = $3, authentication_methods = $4, issued_at = $5, authenticated_at = $6,
       expires_at = $7
     where id = $1`,
    [session.id, ...changingValues(session)],
  )
}

/** In the order of both statements above. */
function changingValues(session: Session): unknown[] {
  return [
    session.active,
    session.aal,
    JSON.stringify(session.authentication_methods),
    session.issued_at,
    session.authenticated_at,
    session.expires_at,
  ]
}

/** Whatever its state. */
export async function findSessionByToken(db: Queryable, token: string): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>(`select ${COLUMNS} from sessions where token_hash = $1`, [
    hashToken(token),
  ])
  return rows[0]
}

export async function findSession(db: Queryable, id: string): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>(`select ${COLUMNS} from sessions where id = $1`, [id])
  return rows[0]
}

/** Ended or over counts as not active; the state of its person does not count. */
export interface SessionFilter {
  readonly identityId?: string
  readonly exceptId?: string
  readonly isActive?: boolean | undefined
}

/** Newest first. */
export async function listSessions(
  db: Queryable,
  filter: SessionFilter,
  window: { readonly limit: number; readonly offset?: number; readonly beforeSeq?: string | undefined },
): Promise<SessionRow[]> {
  const { where, params } = conditions(filter, window.beforeSeq)
  const { rows } = await db.query<SessionRow>(
    `select ${COLUMNS} from sessions ${where} order by seq desc
     limit $${params.length + 1} offset $${params.length + 2}`,
    [...params, window.limit, window.offset ?? 0],
  )
  return rows
}

export async function countSessions(db: Queryable, filter: SessionFilter): Promise<number> {
  const { where, params } = conditions(filter)
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from sessions ${where}`,
    params,
  )
  return rows[0]?.count ?? 0
}

function conditions(filter: SessionFilter, beforeSeq?: string): { where: string; params: unknown[] } {
  const params: unknown[] = []
  const bind = (value: unknown) => `$${params.push(value)}`
  const all = [
    ...(filter.identityId === undefined ? [] : [`identity_id = ${bind(filter.identityId)}`]),
    ...(filter.exceptId === undefined ? [] : [`id <> ${bind(filter.exceptId)}`]),
    ...(filter.isActive === undefined ? [] : [`(active and expires_at >= now()) = ${bind(filter.isActive)}`]),
    ...(beforeSeq === undefined ? [] : [`seq < ${bind(beforeSeq)}`]),
  ]
  return { where: all.length === 0 ? '' : `where ${all.join(' and ')}`, params }
}

/** Ends it; answers false when there is no such session (of this identity, if one is named). */
export async function endSession(db: Queryable, id: string, identityId?: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update sessions set active = false where id = $1 and ($2::uuid is null or identity_id = $2)',
    [id, identityId ?? null],
  )
  return rowCount === 1
}

/** Answers how many there are, those that had ended before included: so counts the real server. */
export async function endOtherSessions(db: Queryable, identityId: string, keptId: string): Promise<number> {
  const { rowCount } = await db.query(
    'update sessions set active = false where identity_id = $1 and id <> $2',
    [identityId, keptId],
  )
  return rowCount ?? 0
}

/** Ends the session of a token; false when there never was one. */
export async function endSessionOfToken(db: Queryable, token: string): Promise<boolean> {
  const { rowCount } = await db.query('update sessions set active = false where token_hash = $1', [
    hashToken(token),
  ])
  return rowCount === 1
}

/** Removes the rows of all sessions of an identity; false when there were none. */
export async function deleteSessionsOf(db: Queryable, identityId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from sessions where identity_id = $1', [identityId])
  return (rowCount ?? 0) > 0
}

/** Null when there is no such session. */
export async function extendSession(db: Queryable, id: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await db.query('update sessions set expires_at = $2 where id = $1', [id, expiresAt])
  return rowCount === 1
}

/** Sessions that ended long ago are of no use to anybody. */
export async function deleteStaleSessions(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from sessions where expires_at < $1', [before])
}
