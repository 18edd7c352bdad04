// Access and policies as they are shown wherever tables are.

import { LayerCard } from '@cloudflare/kumo'
import { State, type Tone } from '../state.tsx'
import {
  type Access,
  type AccessByCommand,
  COMMANDS,
  commandsWords,
  type Policy,
  policySentence,
  reasonWords,
  rowsWords,
} from './access-words.ts'

const TONES: Readonly<Record<Access['rows'], Tone>> = { none: 'neutral', some: 'good', all: 'attention' }

/** The rows, and beneath them why. */
export function AccessState({ of: access }: { of: Access }) {
  return (
    <div className="min-w-32">
      <State tone={TONES[access.rows]}>
        <span className="whitespace-normal">{rowsWords(access)}</span>
      </State>
      <div className="text-xs text-kumo-subtle wrap-anywhere">{reasonWords(access)}</div>
    </div>
  )
}

/** All commands, as short as it can be said. */
export function AccessInShort({ of: access }: { of: AccessByCommand }) {
  const reached = COMMANDS.map(({ command }) => access[command].rows)
  const most = (['all', 'some', 'none'] as const).find(rows => reached.includes(rows)) ?? 'none'
  return (
    <State tone={TONES[most]}>
      <span className="whitespace-normal">
        {commandsWords(access).map(words => (
          <span key={words} className="block">
            {words}
          </span>
        ))}
      </span>
    </State>
  )
}

export function PolicyList({ label, of: policies }: { label: string; of: readonly Policy[] }) {
  return (
    <LayerCard className="p-0">
      <ul aria-label={label} className="divide-y divide-kumo-hairline">
        {policies.map(policy => (
          <li key={policy.name} className="flex flex-col gap-1 px-4 py-2.5">
            <p>
              <span className="font-medium wrap-anywhere">{policy.name}</span>{' '}
              <span className="text-kumo-subtle">{policySentence(policy)}</span>
            </p>
            <Expression words="where" text={policy.using} />
            <Expression words="rows that are written must meet" text={policy.check} />
          </li>
        ))}
      </ul>
    </LayerCard>
  )
}

/** The expression behind its words; nothing where there is none. */
export function Expression({ words, text }: { words: string; text: string | null }) {
  if (text === null) return null
  return (
    <p className="wrap-anywhere">
      <span className="text-kumo-subtle">{words}</span> <code>{text}</code>
    </p>
  )
}
