// Is now a good moment to migrate, and what would the pending migrations do (Spec, Safety check result)?

import type { SqlRuntime } from '../sql/run-sql.ts'
import { choosePending } from './compare.ts'
import type { AnalysedFile, StatementText } from './findings/analysed-statements.ts'
import { findFindings } from './findings/find-findings.ts'
import type { MigrationReadDeps } from './migration-deps.ts'
import type { MigrationFile } from './migration-file.ts'
import { partsShown } from './run-result.ts'
import { partsOf } from './runner/batch-parts.ts'
import { type MigrationPlan, planOf, type Shorthands, shorthandsOf } from './runner/migration-steps.ts'
import { readTracked, USER_MIGRATIONS } from './runner/tracking-table.ts'
import type { SafetyCheck } from './schemas.ts'
import { eachStatement } from './statements/split-statements.ts'

export interface CheckDeps extends MigrationReadDeps {
  sql: SqlRuntime
  config: { dbExtraSearchPath: readonly string[] }
}

/** Spec, Limits. */
const ACTIVE_TRANSACTIONS_MAX = 3

interface Moment {
  readonly database: string
  readonly user: string
  readonly locks: number
  readonly transactions: number
}

// Whoever is no superuser sees no state of others' sessions; that each transaction locks its own id is seen by all.
// Postgres' own workers have no user.
const MOMENT_SQL = `
  with others as (
    select a.pid from pg_stat_activity a
    where a.datname = current_database() and a.usesysid is not null and a.pid <> pg_backend_pid())
  select current_database() as database, current_user as "user",
    (select count(*) from pg_locks l join others using (pid) where not l.granted)::int as locks,
    (select count(distinct l.pid) from pg_locks l join others using (pid)
      where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.granted)::int as transactions`

/**
 * The check. `safe` follows the specification's three warnings alone; what the pending statements lock, rewrite or
 * destroy is in `findings`. Throws `tracking_table_unusable`.
 */
export async function checkSafety(deps: CheckDeps): Promise<SafetyCheck> {
  const { platform, migrations } = deps
  const ask = <Row>(sql: string, params?: readonly (string | null)[]) =>
    platform.query<Row>(sql, params, 'repeatable')
  // By itself: a question beside it would be counted as a transaction.
  const [moment] = await ask<Moment>(MOMENT_SQL)
  const tracked = await readTracked(ask, USER_MIGRATIONS)
  if (moment === undefined) throw new Error('the query answers one row')
  const pending = choosePending(migrations.files, tracked, undefined)
  const shorthands = shorthandsOf(migrations.files)
  const analysed = await Promise.all(pending.map(file => analysedFile(file, shorthands.get(file.name) ?? {})))
  const outside = analysed.filter(({ runsInTransaction }) => !runsInTransaction).map(({ name }) => name)
  const warnings = warningsOf(moment, pending.length)
  return {
    database: moment.database,
    user: moment.user,
    pendingCount: pending.length,
    pendingFiles: pending.map(file => file.name),
    outsideTransaction: outside,
    parts: partsShown(partsOf(pending, ({ name }) => outside.includes(name))),
    lockCount: moment.locks,
    activeTxCount: moment.transactions,
    warnings,
    safe: warnings.length === 0,
    findings: await findFindings(deps, analysed, ['public', ...deps.config.dbExtraSearchPath]),
  }
}

function warningsOf({ locks, transactions }: Moment, pendingCount: number): string[] {
  const warnings: string[] = []
  if (locks > 0)
    warnings.push(
      `${locks} lock${locks === 1 ? ' is' : 's are'} waited for: a migration would wait behind them.`,
    )
  if (transactions > ACTIVE_TRANSACTIONS_MAX)
    warnings.push(
      `${transactions} transactions are active: a migration may wait for their locks, and they for its.`,
    )
  if (pendingCount === 0) warnings.push('No migration is pending.')
  return warnings
}

async function analysedFile(file: MigrationFile, shorthands: Shorthands): Promise<AnalysedFile> {
  const plan = await planOf(file, 'up', shorthands)
  const unknown = plan.unknown === undefined ? {} : { notAnalysed: plan.unknown }
  return {
    name: file.name,
    statements: statementsOf(plan),
    runsInTransaction: plan.usesTransaction,
    ...unknown,
  }
}

/** Read as they are asked for: what is over the bounds of a check is never split. */
function* statementsOf({ texts, firstLine }: MigrationPlan): Generator<StatementText | undefined> {
  for (const text of texts) {
    for (const statement of eachStatement(text)) {
      if (statement === undefined) yield undefined
      else {
        const { start, end, line } = statement
        yield { text: text.slice(start, end), line: firstLine === null ? null : firstLine + line - 1 }
      }
    }
  }
}
