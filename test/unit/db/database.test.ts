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

it('teaches where the role of signed-in persons is missing, and only there', async () => {
  const failing = (error: object) => {
    const target = {
      connectionString: 'postgresql://role:secret@db.internal/quoin',
      gatewayUrl: 'http://gateway',
    }
    const fetch = async () => Response.json({ severity: 'ERROR', routine: 'r', ...error }, { status: 400 })
    return new DataDatabase(new SqlWire(target, { fetch }), { wipesPlans: true })
  }
  const person = { ...SESSION, role: 'authenticated' } as const
  const missing = { code: 'user_role_missing', hint: expect.stringContaining('npm run adopt -- supabase') }
  const unknown = { code: '22023', message: 'role "authenticated" does not exist' }
  for (const error of [
    unknown,
    { ...unknown, queryIndex: 0 },
    { ...unknown, code: '42501', queryIndex: 0 },
  ]) {
    await expect(failing(error).batch(person, [STATEMENT], OPTIONS)).rejects.toMatchObject(missing)
    await expect(failing(error).batchForBody(person, STATEMENT, OPTIONS)).rejects.toMatchObject(missing)
  }
  // A caller's own statement, which may say anything, and callers who have the role of their key.
  const own = failing({ ...unknown, queryIndex: 1 })
  await expect(own.batch(person, [STATEMENT], OPTIONS)).rejects.toMatchObject({ code: '22023' })
  await expect(own.batchForBody(person, STATEMENT, OPTIONS)).rejects.toMatchObject({ code: '22023' })
  await expect(failing(unknown).batch(SESSION, [STATEMENT], OPTIONS)).rejects.toMatchObject({ code: '22023' })
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
