// Answers by the class of their status.

import type { Metrics } from './queries.ts'

/** With Kumo's colour for what they mean. */
export const STATUS_CLASSES = [
  { id: '2xx', colour: 'Success' },
  { id: '3xx', colour: 'Neutral' },
  { id: '4xx', colour: 'Warning' },
  { id: '5xx', colour: 'Attention' },
] as const

export type StatusClass = (typeof STATUS_CLASSES)[number]['id']

export function answersOf({ by_status: counts }: Metrics['responses']['series'][number], id: StatusClass) {
  return counts[id] ?? 0
}

export function totalOf({ series }: Metrics['responses'], id: StatusClass): number {
  return series.reduce((sum, step) => sum + answersOf(step, id), 0)
}
