// What was typed, and its last answer, for as long as the page lives: somebody who looks something up elsewhere comes
// back to it. Never in storage: a statement may hold secrets.

import { queryClient } from '../../../api/query-client.ts'
import { takeHandedSql } from '../../../parts/database/handed-sql.ts'
import type { Outcome } from './queries.ts'

interface Memory {
  text: string
  /** The text that was run last, or taken from the history: it is found there again. */
  kept: string
  outcome: Outcome | undefined
}

const KEY = ['sql', 'memory']
queryClient.setQueryDefaults(KEY, { gcTime: Number.POSITIVE_INFINITY, structuralSharing: false })

/** What another view handed over stands behind what was typed and never run. */
export function recall(): Memory {
  const memory = queryClient.getQueryData<Memory>(KEY) ?? { text: '', kept: '', outcome: undefined }
  const handed = takeHandedSql()
  if (handed === undefined) return memory
  const isKept = memory.text.trim() === '' || memory.text === memory.kept
  const changed = { ...memory, text: isKept ? handed : `${memory.text.trimEnd()}\n\n${handed}` }
  queryClient.setQueryData<Memory>(KEY, changed)
  return changed
}

export function remember(changed: Partial<Memory>): void {
  queryClient.setQueryData<Memory>(KEY, { ...recall(), ...changed })
}
