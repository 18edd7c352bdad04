// A service_role key writes entries as large as it likes into the audit log, by changing clients as large as they may
// be: nobody must be kept from reading what it did. In a database of the file's own, since entries cannot be deleted.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAuditLogs } from '../../src/features/audit/list-audit-logs.ts'
import { AuditLogListQuery } from '../../src/features/audit/schemas.ts'
import { type OutboxDatabase, openOutboxDatabase } from '../contract/row-changes/database.ts'

const ENTRIES = 30

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
  await db.owner.query(`
    insert into quoin.audit_logs (request_id, actor_kind, action, target_kind, target_id, before, created_at)
    select 'r', 'api_key', 'oauth_clients.replace', 'oauth_client', n, jsonb_build_object('uris', repeat('x', 900000)),
      now() + n * interval '1 s' from generate_series(1, ${ENTRIES}) n`)
})

afterAll(async () => {
  await db.end()
})

async function readAll(limit: string): Promise<(string | null)[]> {
  const ids: (string | null)[] = []
  let cursor: string | undefined
  do {
    const query = AuditLogListQuery.parse({ limit, ...(cursor !== undefined && { cursor }) })
    const { data, next_cursor } = await listAuditLogs({ platform: db.platform }, query)
    ids.push(...data.map(({ target_id }) => target_id))
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  return ids
}

it.each(['2', '100'])('entries of any size are listed, each once, with pages of %s', async limit => {
  expect(await readAll(limit)).toEqual(Array.from({ length: ENTRIES }, (_, n) => String(ENTRIES - n)))
})
