// What was typed, and its last answer, for as long as the page lives: somebody who looks something up elsewhere comes
// back to it. Never in storage: a statement may hold secrets.

import type { Outcome } from './queries.ts'

export const memory: { text: string; outcome: Outcome | undefined } = { text: '', outcome: undefined }
