// What an application checks before it believes an answer, and how it came out.

import { State, type Tone } from '../../../parts/state.tsx'
import type { Check } from './callback.ts'

const TONES: Record<Check['result'], { tone: Tone; word: string }> = {
  good: { tone: 'good', word: 'right' },
  bad: { tone: 'bad', word: 'wrong' },
  absent: { tone: 'neutral', word: 'not sent' },
}

export function CheckList({ label, checks }: { label: string; checks: readonly Check[] }) {
  return (
    <ul aria-label={label} className="flex flex-col gap-1.5">
      {checks.map(({ name, result, words }) => (
        <li key={name} className="grid gap-x-3 sm:grid-cols-[8rem_minmax(0,1fr)]">
          <State tone={TONES[result].tone}>
            <code>{name}</code> {TONES[result].word}
          </State>
          <span className="min-w-0 text-kumo-subtle wrap-anywhere">{words}</span>
        </li>
      ))}
    </ul>
  )
}
