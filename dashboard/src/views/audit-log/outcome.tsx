import { State } from '../../parts/state.tsx'
import type { AuditLog } from './queries.ts'

const OUTCOMES = {
  succeeded: { tone: 'good', label: 'Succeeded' },
  failed: { tone: 'bad', label: 'Failed' },
  pending: { tone: 'attention', label: 'Unknown' },
} as const

export function Outcome({ of: { outcome } }: { of: AuditLog }) {
  const { tone, label } = OUTCOMES[outcome]
  return <State tone={tone}>{label}</State>
}
