// Pages of API keys, newest first.

import { pageOf, readCursor } from '../../../db/keyset-page.ts'
import { toApiKey } from './key-row.ts'
import { type KeyDatabase, listKeyRows } from './key-store.ts'
import type { ApiKeyList, ApiKeyListQuery } from './schemas.ts'

/** One page of keys, revoked ones included. Throws `invalid_parameter` for a cursor that is not one of ours. */
export async function listKeys(deps: { platform: KeyDatabase }, query: ApiKeyListQuery): Promise<ApiKeyList> {
  const rows = await listKeyRows(deps.platform, {
    projectId: query.project_id ?? null,
    after: readCursor(query.cursor),
    limit: query.limit + 1,
  })
  const { page, nextCursor } = pageOf(rows, query.limit)
  return { data: page.map(toApiKey), next_cursor: nextCursor }
}
