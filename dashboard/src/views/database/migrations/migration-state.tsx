import { State, type Tone } from '../../../parts/state.tsx'
import type { Migration } from './queries.ts'

const STATES: Record<Migration['state'], { tone: Tone; label: string }> = {
  applied: { tone: 'good', label: 'Applied' },
  pending: { tone: 'neutral', label: 'Pending' },
  modified: { tone: 'attention', label: 'Modified' },
  orphaned: { tone: 'attention', label: 'Orphaned' },
}

export function MigrationState({ of: { state, problem } }: { of: Migration }) {
  if (problem !== null) return <State tone="bad">Cannot run</State>
  const { tone, label } = STATES[state]
  return <State tone={tone}>{label}</State>
}

/** What a state means, and what to do about it. */
export const STATE_MEANINGS: Record<Migration['state'], string> = {
  applied: 'It was run, and the file is unchanged.',
  pending: 'It is in the folder and has not run yet.',
  modified:
    'The file was changed after it was applied, and does not run again. Put the change into a new file, or accept it.',
  orphaned: 'It was applied, and its file is gone. Restore the file to be able to roll it back.',
}
