// What a text that is about to run would lose.

import { lossSentences } from './loss-words.ts'
import type { SqlCheck } from './queries.ts'

/** So many fit into a dialog. More scroll by themselves: the question and the first of them stay in sight. */
const SENTENCES_WHOLE_MAX = 4

export function Losses({ of: check }: { of: SqlCheck }) {
  const sentences = lossSentences(check)
  if (sentences.length === 0) return null
  return (
    <ul
      className="flex max-h-[40dvh] list-disc flex-col gap-1 overflow-y-auto pl-5 wrap-anywhere"
      tabIndex={sentences.length > SENTENCES_WHOLE_MAX ? 0 : undefined}
      aria-label="What is lost"
    >
      {sentences.map(sentence => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
