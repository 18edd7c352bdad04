// What the sweep remembers between its runs: one row, which also lets one run at a time have it.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { Statement } from '../../../db/sql.ts'

/** What a pass over all blobs has found so far; all numbers but those of names are counts or bytes. */
export interface PassFigures {
  /** Blobs that stay, whatever they are. */
  blobs: number
  bytes: number
  /** Blobs without any record, of this database or of nobody. */
  orphans: number
  orphan_bytes: number
  /** Of these, those that are old enough to be deleted. */
  due_orphans: number
  /** Blobs without any record that another database has written. */
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

/** How many missing files are named. */
export const MISSING_NAMES_MAX = 10

/** The figures of both together. */
export function addFigures(a: PassFigures, b: Partial<PassFigures>): PassFigures {
  const sum = { ...a }
  for (const name of Object.keys(NO_FIGURES) as (keyof PassFigures)[]) {
    if (name !== 'missing_names') sum[name] += b[name] ?? 0
  }
  sum.missing_names = [...a.missing_names, ...(b.missing_names ?? [])].slice(0, MISSING_NAMES_MAX)
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
  /** The database is a copy: blobs that the other one has written are left to it. */
  readonly sharesFiles: boolean
  /** This life of this database. */
  readonly database: string
}

interface StateRow {
  version: number
  position: string | null
  pass: Partial<PassFigures>
  completed: PassFigures | null
  orphan_budget: number | null
  halt_reason: string | null
  shares_files: boolean
  database: string
}

/** Longer than any run takes: its own deadline, and what was begun before that. */
const RUN_SECONDS_MAX = 120

const TAKE_SQL = `
  update quoin.storage_sweeps s
  set version = s.version + 1, running_until = clock_timestamp() + make_interval(secs => ${RUN_SECONDS_MAX})
  from quoin.database_epoch e
  where s.running_until < clock_timestamp()
  returning s.version, s.position, s.pass, s.completed, s.orphan_budget, s.halt_reason, s.shares_files,
    e.epoch as database`

/** Takes the row for a run; undefined while another run has it. */
export async function takeState(platform: Pick<PlatformDatabase, 'query'>): Promise<SweepState | undefined> {
  const [row] = await platform.query<StateRow>(TAKE_SQL)
  if (row === undefined) return undefined
  const {
    pass,
    orphan_budget: orphanBudget,
    halt_reason: haltReason,
    shares_files: sharesFiles,
    ...rest
  } = row
  return { ...rest, pass: addFigures(NO_FIGURES, pass), orphanBudget, haltReason, sharesFiles }
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
