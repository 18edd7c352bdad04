// What entries are and came to, in words. Pure.

import { ownValue } from '../../parts/own-value.ts'
import type { Tone } from '../../parts/state.tsx'
import type { LogEntry, Source } from './queries.ts'

export const SOURCES = {
  request: 'Request',
  audit: 'Change',
  delivery: 'Delivery',
} as const satisfies Record<Source, string>

interface Result {
  tone: Tone
  words: string
}

const CHANGES: Record<string, Result> = {
  succeeded: { tone: 'good', words: 'Succeeded' },
  failed: { tone: 'bad', words: 'Failed' },
  pending: { tone: 'attention', words: 'Unknown' },
}

export function resultOf({ source, status, outcome }: LogEntry): Result {
  if (source === 'audit') return ownValue(CHANGES, outcome ?? '') ?? { tone: 'neutral', words: outcome ?? '' }
  if (source === 'request') return { tone: toneOf(status ?? 0), words: `Answered ${status}` }
  if (outcome === null) return { tone: 'good', words: `Delivered, ${status}` }
  const why = outcome.replaceAll('_', ' ')
  return { tone: 'bad', words: status === null ? `Failed: ${why}` : `Answered ${status}` }
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'attention' : 'good'
}

export function took(milliseconds: number): string {
  return `${milliseconds.toLocaleString('en')} ms`
}
