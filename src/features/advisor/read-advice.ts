// The advisor: one query over the catalog for all checks, then what anon can read is tried, then words.

import type { PlatformDatabase } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import { quoteIdentifier, quoteQualified } from '../../db/sql.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import type { AdvisorRuns } from './advisor-runs.ts'
import { advisorStatements, type Found, parseFound } from './advisor-sql.ts'
import type { Check, Description, FoundObject } from './check.ts'
import { CHECKS } from './checks/all.ts'
import { type Advice, type AdvisorFinding, FINDINGS_PER_CHECK_MAX, LEVELS, type Reading } from './schemas.ts'
import { type TryReadingDeps, tryReading } from './try-reading.ts'

interface AdvisorDeps extends TryReadingDeps {
  platform: Pick<PlatformDatabase, 'transaction' | 'query'>
  advisorRuns: AdvisorRuns
}

/**
 * Every fault that the checks find, as the database is now. One trip for the catalog, and one for each fifty relations
 * that are tried, within 15 s. Throws `too_many_calls` while the isolate has two of these under way.
 */
export function readAdvice(deps: AdvisorDeps, requestId: string): Promise<Advice> {
  return deps.advisorRuns.run(() => advise(deps, requestId))
}

/** For all tries, and for everything: somebody waits. */
const TRIES_MS_MAX = 10_000
const ADVICE_MS_MAX = 14_000

async function advise(deps: AdvisorDeps, requestId: string): Promise<Advice> {
  const startedAtMs = deps.now().getTime()
  const { found, isMeasured } = await readCatalog(deps)
  const relations = new Map<number, FoundObject>()
  for (const { id, isTried } of CHECKS) {
    const rows = isTried ? (found.get(id)?.rows ?? []) : []
    for (const { object } of rows) relations.set(object.oid, object)
  }
  const leftMs = startedAtMs + ADVICE_MS_MAX - deps.now().getTime()
  const allMsMax = Math.min(TRIES_MS_MAX, leftMs)
  const readings = await tryReading(deps, [...relations.values()], { requestId, allMsMax })
  await confirmReadings(deps, readings)
  const byCheck = CHECKS.map(check => findingsOf(check, found.get(check.id) ?? NOTHING, readings))
  const findings = byCheck.flatMap(({ listed }) => listed)
  const notTried = relations.size - readings.size
  return {
    findings: findings.sort(byLevelAndSize),
    checks: CHECKS.map(({ id, level, category, title, why }, i) => {
      const { count = 0, listed = [] } = byCheck[i] ?? {}
      return { id, level, category, title, why, found: count, listed: listed.length }
    }),
    tried: readings.size,
    not_tried: notTried,
    complete: isMeasured && notTried === 0 && byCheck.every(({ count, listed }) => count === listed.length),
    time: deps.now().toISOString(),
  }
}

const ANON_READS_SQL = `select c.oid::int8 as oid, coalesce(has_schema_privilege('anon', c.relnamespace, 'USAGE')
    and has_any_column_privilege('anon', c.oid, 'SELECT'), false) as reads
  from pg_class c where c.oid = any ($1::oid[])`

/**
 * Functions of a view or a policy can raise any error, also that of a relation which is gone or not granted; and what
 * they name may be so. The catalog says whether the relation itself is.
 */
async function confirmReadings(
  { platform }: AdvisorDeps,
  readings: Map<number, Reading | 'gone'>,
): Promise<void> {
  const doubted = [...readings].flatMap(([oid, reading]) =>
    reading === 'gone' || reading === 'refused' ? [oid] : [],
  )
  if (doubted.length === 0) return
  const rows = await platform.query<{ oid: number; reads: boolean }>(
    ANON_READS_SQL,
    [writeArrayLiteral(doubted.map(String))],
    'repeatable',
  )
  const reads = new Map(rows.map(row => [row.oid, row.reads]))
  for (const oid of doubted) {
    const isOpen = reads.get(oid)
    readings.set(oid, isOpen === undefined ? 'gone' : isOpen ? 'failed' : 'refused')
  }
}

const NOTHING: Found = { count: 0, rows: [] }

/** Somebody drops or locks what is looked at: then it is looked at once more, and at last without measuring. */
const ATTEMPTS = [true, true, true, false, false]
/** An attempt that took longer was not ended by such a thing. */
const REPEATED_MS_MAX = 2_000
const SCHEMA_CHANGED = /^(?:XX000|42|55P03|40|3F000)/

async function readCatalog({ platform, config, now }: AdvisorDeps) {
  const startedAtMs = now().getTime()
  for (const [i, measures] of ATTEMPTS.entries()) {
    const statements = advisorStatements(CHECKS, { schemas: config.dbSchemas, measures, now: now() })
    try {
      const [, rows] = await platform.transaction(statements)
      return { found: parseFound(rows?.[0]?.[0] ?? '{}'), isMeasured: measures }
    } catch (err) {
      const mayPass = err instanceof PostgresError && SCHEMA_CHANGED.test(err.code)
      const isLast = i === ATTEMPTS.length - 1
      if (!mayPass || isLast || now().getTime() - startedAtMs > REPEATED_MS_MAX) throw explained(err)
    }
  }
  throw new Error('the last attempt answers or throws')
}

const QUERY_CANCELED = '57014'

/** Whoever asks wrote no statement that could be made faster. */
function explained(err: unknown): unknown {
  if (err instanceof PostgresError && err.code === QUERY_CANCELED) {
    err.detail =
      'The advisor asks about all tables of the served schemas in one query, which took longer than 8 s.'
    err.hint =
      'Ask again when the database has less to do. If that does not help, serve fewer schemas (DB_SCHEMAS).'
  }
  return err
}

/** The findings of a check as they are listed, and how many there are with the others. */
function findingsOf(check: Check, { count, rows }: Found, readings: ReadonlyMap<number, Reading | 'gone'>) {
  const findings = rows.flatMap(({ object, facts }) => {
    const reading = check.isTried ? (readings.get(object.oid) ?? 'not_tried') : null
    if (reading === 'gone') return []
    const description = check.describe(object, facts, reading ?? 'not_tried')
    return description === undefined ? [] : [toFinding(check, object, description, reading)]
  })
  return {
    count: count - rows.length + findings.length,
    listed: findings.slice(0, FINDINGS_PER_CHECK_MAX),
  }
}

function toFinding(
  { id, level, category, title }: Check,
  { schema, name, kind, owner, bytes, rows }: FoundObject,
  { reason, sql, decide, key, ...parts }: Description,
  reading: Reading | null,
): AdvisorFinding {
  const { table = null, column = null, policy = null, constraint = null } = parts
  const part = [column, policy, constraint]
    .filter(each => each !== null)
    .map(each => `.${quoteIdentifier(each)}`)
  return {
    key: `${id}:${quoteQualified({ schema, name })}${key ?? part.join('')}`,
    check: id,
    level,
    category,
    title,
    object: { schema, name, kind, table, column, policy, constraint },
    owner,
    size_bytes: bytes,
    rows_estimated: rows,
    reading,
    reason,
    sql,
    decide: decide ?? null,
  }
}

function byLevelAndSize(a: AdvisorFinding, b: AdvisorFinding): number {
  return (
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
    (b.size_bytes ?? -1) - (a.size_bytes ?? -1) ||
    (a.key < b.key ? -1 : 1)
  )
}
