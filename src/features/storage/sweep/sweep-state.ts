// What the sweep remembers between its runs: one row, which also lets one run at a time have it.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { Statement } from '../../../db/sql.ts'

/** What a pass over all blobs has found so far; all numbers but those of names are counts or bytes. */
export interface PassFigures {
  /** Blobs that stay, whatever they are. */
  blobs: number
  bytes: number
  /** Blobs without any record, of this database or of nobody, and the first of their keys. */
  orphans: number
  orphan_bytes: number
  orphan_keys: string[]
  /** Of these, those that are old enough to be deleted. */
  due_orphans: number
  /** Blobs that another database has written, and that no row here names. */
  foreign: number
  foreign_bytes: number
  /** Blobs of deleted and replaced files that wait for their time. */
  waiting: number
  waiting_bytes: number
  /** Rows whose blob is not there, and the first of their names as `bucket/name`. */
  missing: number
  missing_names: string[]
  /** Uploads that nobody finished within a day. */
  expired_uploads: number
  deleted: number
  deleted_bytes: number
}

export const NO_FIGURES: Readonly<PassFigures> = {
  blobs: 0,
  bytes: 0,
  orphans: 0,
  orphan_bytes: 0,
  orphan_keys: [],
  due_orphans: 0,
  foreign: 0,
  foreign_bytes: 0,
  waiting: 0,
  waiting_bytes: 0,
  missing: 0,
  missing_names: [],
  expired_uploads: 0,
  deleted: 0,
  deleted_bytes: 0,
}

/** How many missing files and orphans are named. */
export const NAMES_MAX = 10

/** The figures of both together. */
export function addFigures(a: PassFigures, b: Partial<PassFigures>): PassFigures {
  const sum = { ...a }
  for (const name of Object.keys(NO_FIGURES) as (keyof PassFigures)[]) {
    if (name === 'missing_names' || name === 'orphan_keys')
      sum[name] = [...(a[name] ?? []), ...(b[name] ?? [])].slice(0, NAMES_MAX)
    else sum[name] += b[name] ?? 0
  }
  return sum
}

/** The row, as a run works with it. */
export interface SweepState {
  /** Grows whenever somebody takes the row. */
  readonly version: number
  /** The key behind which the pass goes on; null: at the beginning. */
  readonly position: string | null
  readonly pass: PassFigures
  /** Blobs of the last whole pass; null: there was none. */
  readonly completed: PassFigures | null
  /** Orphans that this pass may still delete; null: it only counts them. */
  readonly orphanBudget: number | null
  readonly haltReason: string | null
  /** Whose blobs are this database's to delete: its own, and those of former ones that are gone for good. */
  readonly databases: readonly string[]
}

interface StateRow {
  version: number
  position: string | null
  pass: Partial<PassFigures>
  completed: PassFigures | null
  orphan_budget: number | null
  halt_reason: string | null
  databases: string[]
}

/** Longer than any run takes: its own deadline, and what was begun before that. */
const RUN_SECONDS_MAX = 120

const TAKE_SQL = `
  update quoin.storage_sweeps s
  set version = s.version + 1, running_until = clock_timestamp() + make_interval(secs => ${RUN_SECONDS_MAX})
  where s.running_until < clock_timestamp()
  returning s.version, s.position, s.pass, s.completed, s.orphan_budget, s.halt_reason,
    (select json_agg(epoch) from (
      select epoch from quoin.database_epoch
      union select epoch from quoin.former_databases where gone_at < now() - make_interval(secs => $1::float8)
    ) own) as databases`

/** Takes the row for a run; undefined while another run has it. */
export async function takeState(
  platform: Pick<PlatformDatabase, 'query'>,
  retentionSeconds: number,
): Promise<SweepState | undefined> {
  const [row] = await platform.query<StateRow>(TAKE_SQL, [String(retentionSeconds)])
  if (row === undefined) return undefined
  const { pass, orphan_budget: orphanBudget, halt_reason: haltReason, ...rest } = row
  return { ...rest, pass: addFigures(NO_FIGURES, pass), orphanBudget, haltReason }
}

const SAVE_SQL = `
  update quoin.storage_sweeps set position = $2, pass = $3::jsonb, orphan_budget = $4::bigint,
    completed = coalesce($5::jsonb, completed),
    completed_at = case when $5 is null then completed_at else clock_timestamp() end,
    halt_reason = $6::text, halted_at = case when $6::text is not null then coalesce(halted_at, clock_timestamp()) end
  where version = $1::bigint returning version`

/** Writes down how far a run has come. It answers no row when another has taken the state meanwhile. */
export function saveStatement(state: SweepState, { isPassEnd }: { isPassEnd: boolean }): Statement {
  const { version, position, pass, completed, orphanBudget, haltReason } = state
  const params = [
    String(version),
    position,
    JSON.stringify(pass),
    orphanBudget === null ? null : String(orphanBudget),
    isPassEnd ? JSON.stringify(completed) : null,
    haltReason,
  ]
  return { sql: SAVE_SQL, params }
}

const RELEASE_SQL = `
  update quoin.storage_sweeps set running_until = '-infinity' where version = $1::bigint returning version`

/** Lets the next run begin. */
export async function releaseState(
  platform: Pick<PlatformDatabase, 'query'>,
  { version }: SweepState,
): Promise<void> {
  await platform.query(RELEASE_SQL, [String(version)], 'repeatable')
}
