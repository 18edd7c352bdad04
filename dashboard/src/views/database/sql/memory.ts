// What was typed, and its last answer, for as long as the page lives: somebody who looks something up elsewhere comes
// back to it. Never in storage: a statement may hold secrets.

import type { Outcome } from './queries.ts'

export const memory: { text: string; kept: string; outcome: Outcome | undefined } = {
  text: '',
  /** The text that was run last, or taken from the history: it is found there again. */
  kept: '',
  outcome: undefined,
}
