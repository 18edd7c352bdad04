// Reads relations as anon: what comes of it is what an anon key gets. One connection, a read-only transaction for some
// fifty at a time, each with a time of its own. Where one fails, Postgres ends the transaction: those before it are
// read again, those behind it next. No value of a row leaves the database.

import type { DataDatabase, DataSession } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import { type QualifiedName, quoteQualified, type Statement } from '../../db/sql.ts'
import { deadline } from '../../lib/deadline.ts'
import { LOCK_TIMEOUT_MS } from './advisor-sql.ts'
import type { Reading } from './schemas.ts'

const ONE_MS_MAX = 500
/** For one transaction, so that few slow ones are found out one by one and do not use up the time of all. */
const GROUP_MS_MAX = 2_000
const GROUP_SIZE = 50
/** Each is a call of the Worker's, and the platform lets one request make so many. */
const TRIPS_MAX = 300
/** Of the longest wait behind the database's own deadlines. */
const GRACE_MS = 1_000

export interface TryReadingDeps {
  data: Pick<DataDatabase, 'batch'>
  config: { dbSchemas: readonly string[]; dbExtraSearchPath: readonly string[] }
  now: () => Date
}

/** A relation and what it is known by. */
export interface Tried extends QualifiedName {
  readonly oid: number
}

/** Before all tries of a transaction, with the savepoint that each goes back to. */
const BEFORE: readonly Statement[] = [
  {
    sql: "select pg_catalog.set_config('statement_timeout',$1,true),pg_catalog.set_config('lock_timeout',$2,true)",
    params: [String(ONE_MS_MAX), String(LOCK_TIMEOUT_MS)],
  },
  { sql: 'savepoint quoin_try', params: [] },
]

/** What one relation's functions set, a role or a setting of any name, must not hold for the next. */
const TAKE_BACK: Statement = { sql: 'rollback to savepoint quoin_try', params: [] }

interface TriesOptions {
  /** As other calls have it: SQL must not know the advisor by its name. */
  requestId: string
  allMsMax: number
}

/**
 * What came of reading one row of each, by oid. `gone` and `refused` are what the error says, which may be about
 * something below. Relations without an answer were not tried: the time was up, or there was no connection. Never
 * throws.
 */
export async function tryReading(
  { data, config, now }: TryReadingDeps,
  relations: readonly Tried[],
  { requestId, allMsMax }: TriesOptions,
): Promise<Map<number, Reading | 'gone'>> {
  const readings = new Map<number, Reading | 'gone'>()
  const endsAtMs = now().getTime() + allMsMax
  const waiting = inGroups(relations)
  for (let trips = 0; trips < TRIPS_MAX; trips++) {
    const leftMs = endsAtMs - now().getTime()
    const group = waiting.shift()
    if (group === undefined || leftMs <= 0) break
    const timeoutMs = Math.min(leftMs, group.length === 1 ? ONE_MS_MAX + GRACE_MS : GROUP_MS_MAX)
    const searchPath = [...config.dbSchemas, ...config.dbExtraSearchPath]
    const session = anonSession({ requestId, searchPath, timeoutMs })
    try {
      const results = await deadline(
        leftMs + GRACE_MS,
        data.batch(session, [...BEFORE, ...group.flatMap(tryOf)], { prepared: false, readOnly: true }),
      )
      for (const [i, { oid }] of group.entries())
        readings.set(oid, results[BEFORE.length + 2 * i]?.rows.length === 0 ? 'no_rows' : 'rows')
    } catch (err) {
      // The database cannot be reached, or others use up the connections.
      if (!(err instanceof PostgresError)) break
      const [first] = group
      if (group.length === 1 && first !== undefined) readings.set(first.oid, readingOf(err))
      else waiting.unshift(...divide(group, err, readings))
    }
  }
  return readings
}

function inGroups(relations: readonly Tried[]): Tried[][] {
  const groups: Tried[][] = []
  for (let from = 0; from < relations.length; from += GROUP_SIZE)
    groups.push(relations.slice(from, from + GROUP_SIZE))
  return groups
}

function tryOf(relation: Tried): Statement[] {
  return [{ sql: `select 1 from ${quoteQualified(relation)} limit 1`, params: [] }, TAKE_BACK]
}

/** What is to be read again of a group that failed. Notes the one that failed, where it is known. */
function divide(group: Tried[], err: PostgresError, readings: Map<number, Reading | 'gone'>): Tried[][] {
  const place = placeOf(err)
  const failed = place === undefined ? undefined : group[place]
  if (place === undefined || failed === undefined) {
    const half = Math.ceil(group.length / 2)
    return [group.slice(0, half), group.slice(half)]
  }
  readings.set(failed.oid, readingOf(err))
  return [group.slice(0, place), group.slice(place + 1)].filter(part => part.length > 0)
}

/** Two statements are one try. A deadline of the whole group says nothing of the one that it met. */
function placeOf({ code, queryIndex, message }: PostgresError): number | undefined {
  if (queryIndex === undefined || queryIndex < BEFORE.length) return undefined
  const isOfGroup = code === QUERY_CANCELED && !/statement timeout/.test(message)
  return isOfGroup ? undefined : Math.floor((queryIndex - BEFORE.length) / 2)
}

const QUERY_CANCELED = '57014'

const READINGS: Readonly<Record<string, Reading | 'gone'>> = {
  42501: 'refused',
  [QUERY_CANCELED]: 'timed_out',
  '55P03': 'locked',
  '42P01': 'gone',
  '3F000': 'gone',
}

const readingOf = ({ code }: PostgresError) => READINGS[code] ?? 'failed'

/** An anon key's, without a user. It takes connections of its own name, not those of whoever asks. */
function anonSession(call: Pick<DataSession, 'requestId' | 'searchPath' | 'timeoutMs'>): DataSession {
  return {
    ...call,
    role: 'anon',
    claims: '{"role":"anon"}',
    share: 'advisor/advisor',
    method: 'GET',
    path: '/v1/db',
    headers: '{}',
    cookies: '{}',
  }
}
