import { ownValue } from '../../parts/own-value.ts'
import { State } from '../../parts/state.tsx'
import type { DeadLetter } from './queries.ts'

const REASONS: Record<DeadLetter['reason'], string> = {
  attempts_exhausted: 'Nine attempts have failed',
  kept_too_long: 'It waited for seven days',
}

export function reasonOf({ reason }: DeadLetter): string {
  return ownValue(REASONS, reason) ?? reason
}

export function DeadLetterState({ of: { resolved_at: at } }: { of: DeadLetter }) {
  return at === null ? <State tone="bad">Not delivered</State> : <State tone="good">Delivered since</State>
}
