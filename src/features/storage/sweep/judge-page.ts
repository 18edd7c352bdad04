// What becomes of a page's blobs, and what a whole pass allows the next one. Pure.

import type { ListedBlob } from '../blobs/blob-store.ts'
import type { BlobRecord } from './read-records.ts'
import { addFigures, NO_FIGURES, type PassFigures, type SweepState } from './sweep-state.ts'

/** So many orphans may go however few blobs there are. */
const ORPHANS_MIN = 10
/** Of all blobs; more than this part without any record is rather a wrong database than what crashes have left. */
const ORPHAN_PART_MAX = 0.1

export interface PageJudgement {
  readonly figures: PassFigures
  readonly deletions: readonly string[]
  /** What is left of the pass's budget. */
  readonly orphanBudget: number | null
  /** Why nothing may be deleted from now on; null: all is well. */
  readonly haltReason: string | null
}

type Fate = 'kept' | 'waiting' | 'lost' | 'orphan' | 'due_orphan' | 'foreign'

interface Judged {
  readonly blob: ListedBlob
  readonly fate: Fate
}

/** Says which blobs go. `orphansBefore`: a blob without any record goes when it was uploaded earlier. */
export function judgePage(
  state: SweepState,
  blobs: readonly ListedBlob[],
  records: readonly BlobRecord[],
  orphansBefore: Date,
): PageJudgement {
  const judged = records.flatMap((record, i) => {
    const blob = blobs[i]
    return blob === undefined ? [] : [{ blob, fate: fateOf(blob, record, state, orphansBefore) }]
  })
  const dueOrphans = judged.filter(({ fate }) => fate === 'due_orphan').length
  const haltReason = state.haltReason ?? overBudget(state.orphanBudget, dueOrphans)
  const takesOrphans = state.orphanBudget !== null && haltReason === null
  const goes = ({ fate }: Judged) =>
    haltReason === null && (fate === 'lost' || (fate === 'due_orphan' && takesOrphans))
  return {
    figures: judged.reduce((sum, it) => addFigures(sum, figuresOf(it, goes(it))), NO_FIGURES),
    deletions: judged.filter(goes).map(({ blob }) => blob.key),
    orphanBudget: takesOrphans ? (state.orphanBudget ?? 0) - dueOrphans : state.orphanBudget,
    haltReason,
  }
}

function fateOf(
  { database: writer, uploadedAt }: ListedBlob,
  record: BlobRecord,
  { databases }: SweepState,
  orphansBefore: Date,
): Fate {
  if (record === 'named' || record === 'claimed') return 'kept'
  if (record === 'waiting') return 'waiting'
  const isOwn = writer !== null && databases.includes(writer)
  // The other database may name it still: what this one has lost is not lost there.
  if (record === 'lost') return isOwn ? 'lost' : 'foreign'
  if (writer !== null && !isOwn) return 'foreign'
  return isOwn && uploadedAt < orphansBefore ? 'due_orphan' : 'orphan'
}

function figuresOf({ blob: { key, size }, fate }: Judged, isDeleted: boolean): Partial<PassFigures> {
  if (isDeleted) return { deleted: 1, deleted_bytes: size }
  const here = { blobs: 1, bytes: size }
  if (fate === 'kept') return here
  if (fate === 'foreign') return { ...here, foreign: 1, foreign_bytes: size }
  if (fate === 'waiting' || fate === 'lost') return { ...here, waiting: 1, waiting_bytes: size }
  const due = fate === 'due_orphan' ? 1 : 0
  return { ...here, orphans: 1, orphan_bytes: size, orphan_keys: [key], due_orphans: due }
}

function overBudget(budget: number | null, dueOrphans: number): string | null {
  if (budget === null || dueOrphans <= budget) return null
  return `More blobs have no record than a pass may delete: ${dueOrphans} on one page, where ${budget} were left.`
}

/** The state behind the last page of a pass: the next pass may delete orphans if this one found few. */
export function endPass(state: SweepState): SweepState {
  const { pass } = state
  const all = pass.blobs + pass.deleted
  const allowed = Math.max(ORPHANS_MIN, Math.floor(all * ORPHAN_PART_MAX))
  const isTooMuch = pass.due_orphans > allowed
  const reason = `${pass.due_orphans} of ${all} blobs have no record, and a pass may delete ${allowed}.`
  return {
    ...state,
    position: null,
    pass: NO_FIGURES,
    completed: pass,
    orphanBudget: isTooMuch ? null : allowed,
    haltReason: state.haltReason ?? (isTooMuch ? reason : null),
  }
}
