// The sweep: deletes blobs that nobody names any more, and finds what crashes have left. A run walks a bounded number
// of blobs in the order of their keys, and the next run goes on behind them. docs/design/storage-sweep.md says why no
// file is lost by it.

import type { PlatformDatabase } from '../../../db/database.ts'
import { deadline } from '../../../lib/deadline.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { expireClaims } from './expire-claims.ts'
import { endPass, judgePage, type PageJudgement } from './judge-page.ts'
import { forgetNotesStatement, type PageRecords, readRecords } from './read-records.ts'
import { addFigures, releaseState, type SweepState, saveStatement, takeState } from './sweep-state.ts'

export interface SweepDeps {
  readonly platform: Pick<PlatformDatabase, 'query' | 'texts' | 'transaction'>
  readonly blobs: Pick<BlobStore, 'list' | 'delete' | 'abortParts'>
  readonly config: { readonly storageRetention: number }
  readonly now: () => Date
}

/** How much one run does at most. */
export interface RunBounds {
  readonly pages: number
  readonly blobsPerPage: number
  /** After so long no other page is begun. */
  readonly timeMs: number
}

const BOUNDS: RunBounds = { pages: 20, blobsPerPage: 1_000, timeMs: 20_000 }
const STORE_TIMEOUT_MS = 15_000
/** A version is noted when it is read or copied: so long it is left alone, whatever the retention. */
const RETENTION_SECONDS_MIN = 300
/** Blobs without any record wait for so much longer than those whose rows are gone. */
const ORPHAN_EXTRA_SECONDS = 86_400

/** What a run has done. */
export interface SweepRun {
  pages: number
  deleted: number
  deleted_bytes: number
  expired_uploads: number
  /** Whether it came to the end of all blobs. */
  completed: boolean
  halted: string | null
}

/**
 * One run, for a cron. Does nothing while another one runs. Never throws: what failed is in the log, and the next run
 * does it.
 */
export async function sweepStorage(deps: SweepDeps, bounds: RunBounds = BOUNDS): Promise<SweepRun> {
  const run: SweepRun = {
    pages: 0,
    deleted: 0,
    deleted_bytes: 0,
    expired_uploads: 0,
    completed: false,
    halted: null,
  }
  try {
    const state = await takeState(deps.platform, retentionOf(deps))
    if (state === undefined) return run
    try {
      await sweep(deps, state, bounds, run)
    } finally {
      await releaseState(deps.platform, state)
    }
  } catch (err) {
    console.error(JSON.stringify({ level: 'error', code: 'storage_sweep_failed', message: String(err) }))
  }
  if (run.deleted + run.expired_uploads > 0 || run.halted !== null)
    console.log(
      JSON.stringify({ level: run.halted === null ? 'info' : 'warn', code: 'storage_swept', ...run }),
    )
  return run
}

function retentionOf({ config }: SweepDeps): number {
  return Math.max(config.storageRetention, RETENTION_SECONDS_MIN)
}

async function sweep(deps: SweepDeps, taken: SweepState, bounds: RunBounds, run: SweepRun): Promise<void> {
  const endsMs = deps.now().getTime() + bounds.timeMs
  let state = taken
  run.halted = state.haltReason
  if (state.haltReason === null) {
    run.expired_uploads = await expireClaims(deps)
    state = { ...state, pass: addFigures(state.pass, { expired_uploads: run.expired_uploads }) }
  }
  while (run.pages < bounds.pages && !run.completed && deps.now().getTime() < endsMs) {
    const next = await sweepPage(deps, state, bounds, run)
    if (next === undefined) return
    state = next
  }
}

/** The state behind the page; undefined when somebody else has taken it, or the store has nothing to go on with. */
async function sweepPage(
  deps: SweepDeps,
  state: SweepState,
  { blobsPerPage: limit }: RunBounds,
  run: SweepRun,
): Promise<SweepState | undefined> {
  const { position } = state
  // The list comes first: a blob that is on it got its record before it was stored.
  const { blobs, complete } = await deadline(
    STORE_TIMEOUT_MS,
    deps.blobs.list({ limit, ...(position === null ? {} : { after: position }) }),
  )
  const last = blobs.at(-1)?.key
  if (!complete && last === undefined) return undefined
  const retentionSeconds = retentionOf(deps)
  const found = await readRecords(deps.platform, {
    after: position,
    until: complete ? null : (last ?? null),
    keys: blobs.map(({ key }) => key),
    retentionSeconds,
  })
  const orphansBefore = new Date(deps.now().getTime() - (retentionSeconds + ORPHAN_EXTRA_SECONDS) * 1_000)
  const judgement = judgePage(state, blobs, found.records, orphansBefore)
  if (judgement.deletions.length > 0) await deadline(STORE_TIMEOUT_MS, deps.blobs.delete(judgement.deletions))
  const next = stateBehind(state, found, judgement)
  // Blobs before their notes, and figures with the place they belong to: a run that breaks off does the page again.
  const notes = judgement.haltReason === null ? [...found.settled_notes, ...judgement.deletions] : []
  const [, saved] = await deps.platform.transaction([
    forgetNotesStatement(notes, retentionSeconds),
    saveStatement(next, { isPassEnd: found.until === null }),
  ])
  if (saved?.length !== 1) return undefined
  run.pages++
  run.deleted += judgement.figures.deleted
  run.deleted_bytes += judgement.figures.deleted_bytes
  run.completed = found.until === null
  run.halted = next.haltReason
  return next
}

function stateBehind(
  state: SweepState,
  { until, missing, missing_names }: PageRecords,
  { figures, orphanBudget, haltReason }: PageJudgement,
): SweepState {
  const pass = addFigures(addFigures(state.pass, figures), { missing, missing_names })
  const next = { ...state, position: until, pass, orphanBudget, haltReason }
  return until === null ? endPass(next) : next
}
