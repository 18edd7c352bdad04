import { State } from '../../parts/state.tsx'
import type { Identity } from './queries.ts'

export function IdentityState({ of: { state } }: { of: Identity }) {
  if (state === 'active') return <State tone="good">Active</State>
  return <State tone="attention">{state === 'inactive' ? 'Sign-in disabled' : state}</State>
}
