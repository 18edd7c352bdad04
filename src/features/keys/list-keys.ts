// Pages of API keys, newest first.

import * as z from 'zod'
import { DomainError } from '../../errors.ts'
import { toApiKey } from './key-row.ts'
import { type KeyDatabase, type KeyPage, listKeyRows } from './key-store.ts'
import type { ApiKeyList, ApiKeyListQuery } from './schemas.ts'

/** Where a page ended: the exact time as Postgres wrote it, and the id. */
const Position = z.tuple([z.iso.datetime({ offset: true }), z.uuid()])

/** One page of keys, revoked ones included. Throws `invalid_parameter` for a cursor that is not one of ours. */
export async function listKeys(deps: { platform: KeyDatabase }, query: ApiKeyListQuery): Promise<ApiKeyList> {
  const rows = await listKeyRows(deps.platform, {
    projectId: query.project_id ?? null,
    after: query.cursor === undefined ? null : readCursor(query.cursor),
    // One more than asked for tells whether there is a next page.
    limit: query.limit + 1,
  })
  const page = rows.slice(0, query.limit)
  const last = rows.length > query.limit ? page.at(-1) : undefined
  return {
    data: page.map(toApiKey),
    next_cursor: last === undefined ? null : btoa(JSON.stringify([last.created_at, last.id])),
  }
}

function readCursor(cursor: string): KeyPage['after'] {
  try {
    const [createdAt, id] = Position.parse(JSON.parse(atob(cursor)))
    return { createdAt, id }
  } catch (cause) {
    throw new DomainError('invalid_parameter', 'query.cursor: not a cursor of this list.', {
      hint: 'Send next_cursor of the page before as it is, or leave cursor out for the first page.',
      cause,
    })
  }
}
