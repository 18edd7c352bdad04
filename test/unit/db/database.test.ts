import { expect, it } from 'vitest'
import { DataDatabase, type DataSession, PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'

const SESSION: DataSession = {
  role: 'anon',
  claims: '{}',
  share: 'key/client',
  requestId: 'request',
  searchPath: ['public'],
  timeoutMs: 1_000,
  method: 'GET',
  path: '/',
  headers: '{}',
  cookies: '{}',
}
const ZONED = { ...SESSION, timezone: 'Europe/Paris' }
const STATEMENT = { sql: 'select 1', params: [] }
const OPTIONS = { prepared: true, readOnly: true }

it('sends no time zone to where plans made under it are kept for others', async () => {
  let trips = 0
  const neon = { connectionString: 'postgresql://role:secret@ep-x.eu.neon.tech/quoin', gatewayUrl: undefined }
  const fetch = async () => {
    trips++
    return Response.json({ results: [{}, {}] })
  }
  const wire = new SqlWire(neon, { fetch })
  const data = new DataDatabase(wire, { wipesPlans: false }).observed(() => undefined)
  const refusal = { code: 'invalid_preference', hint: expect.stringContaining('AT TIME ZONE') }
  await expect(data.batch(ZONED, [STATEMENT], OPTIONS)).rejects.toMatchObject(refusal)
  await expect(data.batchForBody(ZONED, STATEMENT, OPTIONS)).rejects.toMatchObject(refusal)
  expect(trips).toBe(0)
  await data.batch(SESSION, [STATEMENT], OPTIONS)
  expect(trips).toBe(1)
})

// A function that is selected may write, and a WITH may only read: the first word says neither.
it('tells to try again where the answer is lost only if the caller says that it may be repeated', async () => {
  const target = {
    connectionString: 'postgresql://role:secret@db.internal/quoin',
    gatewayUrl: 'http://gateway',
  }
  const platform = new PlatformDatabase(new SqlWire(target, { fetch: () => Promise.reject(new TypeError()) }))
  const again = { code: 'database_unavailable', outcomeUnknown: false, retryAfterSeconds: 1 }
  const open = { code: 'database_unavailable', outcomeUnknown: true, retryAfterSeconds: undefined }
  for (const sql of ['select quoin.do_it()', 'with one as (select 1) select * from one']) {
    await expect(platform.query(sql, [], 'repeatable')).rejects.toMatchObject(again)
    await expect(platform.texts(sql, [], 'repeatable')).rejects.toMatchObject(again)
    await expect(platform.query(sql)).rejects.toMatchObject(open)
    await expect(platform.texts(sql)).rejects.toMatchObject(open)
  }
  await expect(platform.transaction([{ sql: 'select 1', params: [] }])).rejects.toMatchObject(open)
})
