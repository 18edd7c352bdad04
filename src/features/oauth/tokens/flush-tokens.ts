// Deletes tokens that are of no use any more, of all clients (Spec, rule 2 of the authorization-server
// administration): in the OAuth2 server's own database where the deployment names it, else through the server, if it
// can.

import type { Upstream } from '../../../clients/http.ts'
import { flushTokens } from '../../../clients/oauth-server/tokens.ts'
import type { PlatformDatabase } from '../../../db/database.ts'
import { quoteIdentifier } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { type AuditDeps, audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { Flush } from './schemas.ts'

type OauthDatabase = Pick<PlatformDatabase, 'query'>

export interface FlushTokensDeps extends AuditDeps {
  upstreams: { oauthAdmin: Upstream }
  /** The OAuth2 server's own database; undefined where the deployment does not name it. */
  oauthDatabase: OauthDatabase | undefined
  now: () => Date
}

/** Deletes ended tokens and counts them. Throws `not_supported` where neither way is there. */
export async function flushEndedTokens(deps: FlushTokensDeps, caller: Caller): Promise<Flush> {
  const change = { targetKind: 'oauth_server', targetId: null }
  return audited(deps, caller, change, async () => {
    const result = await (deps.oauthDatabase === undefined
      ? flushThroughServer(deps)
      : flushDatabase(deps.oauthDatabase, deps.now))
    return { result, after: result }
  })
}

async function flushThroughServer({ upstreams, now }: FlushTokensDeps): Promise<Flush> {
  await flushTokens(upstreams.oauthAdmin, now())
  return { source: 'server', access_tokens: null, refresh_tokens: null, complete: true }
}

const ACCESS_TABLE = 'hydra_oauth2_access'
const REFRESH_TABLE = 'hydra_oauth2_refresh'

/** Small enough that nobody who needs the table waits. */
const ROWS_PER_BATCH = 2_000
/** How long one call goes on; the next one goes on from there. */
const TIME_MS = 20_000

async function flushDatabase(database: OauthDatabase, now: () => Date): Promise<Flush> {
  const schema = await schemaOfTokens(database)
  const endsAt = now().getTime() + TIME_MS
  const hasTime = () => now().getTime() < endsAt
  const [accessTable, refreshTable] = [`${schema}.${ACCESS_TABLE}`, `${schema}.${REFRESH_TABLE}`]
  const access = await deleteWhere(database, accessTable, 'not t.active or t.expires_at < now()', hasTime)
  // A rotated-out refresh token is what tells a theft, as long as its grant has a current one (Spec, Refresh token).
  const isWatched = `exists (select 1 from ${refreshTable} r where r.request_id = t.request_id
    and r.active and (r.expires_at is null or r.expires_at >= now()))`
  const isEnded = `(not t.active and not ${isWatched}) or t.expires_at < now()`
  const refresh = await deleteWhere(database, refreshTable, isEnded, hasTime)
  return {
    source: 'database',
    access_tokens: access.deleted,
    refresh_tokens: refresh.deleted,
    complete: access.isComplete && refresh.isComplete,
  }
}

/** The quoted name of the schema that holds both tables: the search path of the server's own user is not ours. */
async function schemaOfTokens(database: OauthDatabase): Promise<string> {
  const [row] = await database.query<{ nspname: string }>(
    `select n.nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relname in ($1, $2) and c.relkind in ('r', 'p', 'v')
     group by n.nspname having count(*) = 2 order by n.nspname = 'public' desc, n.nspname limit 1`,
    [ACCESS_TABLE, REFRESH_TABLE],
    'repeatable',
  )
  if (row !== undefined) return quoteIdentifier(row.nspname)
  throw new DomainError(
    'not_supported',
    "The OAuth2 server's database has no tables of tokens that Quoin knows.",
    {
      detail: `${ACCESS_TABLE}, ${REFRESH_TABLE}`,
      hint: 'OAUTH_DATABASE_URL must name the database of the OAuth2 server, and a user who may see its tables.',
    },
  )
}

/**
 * Deletes the rows of `table`, called `t`, for which the condition holds. `expires_at` is a UTC time without zone in
 * the server's schema, and our sessions are in UTC; a row without it never expires.
 */
async function deleteWhere(
  database: OauthDatabase,
  table: string,
  condition: string,
  hasTime: () => boolean,
) {
  let deleted = 0
  while (hasTime()) {
    const rows = await database.query(
      `delete from ${table} where signature in (
         select t.signature from ${table} t where ${condition} limit $1::integer)
       returning 1 as one`,
      [String(ROWS_PER_BATCH)],
    )
    deleted += rows.length
    if (rows.length < ROWS_PER_BATCH) return { deleted, isComplete: true }
  }
  return { deleted, isComplete: false }
}
