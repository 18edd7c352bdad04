// The events of a webhook that were given up, newest first, those included that were delivered since.

import { type EntrySource, timeSql } from './entry-page.ts'
import { type ListEntriesDeps, listEntries } from './list-deliveries.ts'
import type { EntryListQuery } from './schemas.ts'

const DEAD_LETTERS: EntrySource = {
  table: 'quoin.dead_letters',
  columns: `e.id, e.event_id, e.reason,
    ${timeSql('created_at')} as created_at, ${timeSql('resolved_at')} as resolved_at`,
  otherBytes: '0',
}

/** One page of dead letters as JSON text (`DeadLetterList`). Throws `invalid_parameter` and `not_found`. */
export function listDeadLetters(
  deps: ListEntriesDeps,
  idText: string,
  query: EntryListQuery,
): Promise<string> {
  return listEntries(deps, DEAD_LETTERS, idText, query)
}
