import type { Project } from '../../parts/projects.ts'
import { State } from '../../parts/state.tsx'

export function ProjectState({ of: { status } }: { of: Pick<Project, 'status'> }) {
  return status === 'paused' ? <State tone="attention">Paused</State> : <State tone="good">Active</State>
}
