import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DataDatabase, type PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { NO_CONNECTION, postgresSaid, proxySaid, REFUSED_AT_THE_DOOR } from '../../support/neon-answers.ts'
import { platformStatusOf } from '../../support/platform-status.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

// Sixteen seconds otherwise, as long as a trip to the database may take: monitors give up long before.
it('a database that never answers is down after two seconds, and what it says later is not heard', async () => {
  const question = Promise.withResolvers<never[]>()
  const platform = { query: () => question.promise } as Partial<PlatformDatabase> as PlatformDatabase
  const status = platformStatusOf(platform)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await status).toMatchObject({ status: 'degraded', database: { state: 'down' } })
  question.reject(new Error('too late'))
  await vi.advanceTimersByTimeAsync(0)
})

const FACTS = {
  server_version: '18.0',
  size_bytes: 1,
  tables: 0,
  projects: 1,
  api_keys: 1,
  dead_letters: 0,
  unhandled_messages: 0,
  row_changes: { oldest_waiting_seconds: null, listener_connected: true, recording_failures: [] },
}
const wellPlatform = {
  query: async (sql: string) => (sql.includes('unnest') ? [] : [FACTS]),
} as unknown as PlatformDatabase

/** The status of a platform whose owner's database is well, where callers' data answers so. */
function statusWith(answer: () => Response | Promise<Response>) {
  const wire = new SqlWire(
    { connectionString: 'postgres://authenticator:secret@ep-x.eu.neon.tech/quoin', gatewayUrl: undefined },
    { fetch: async () => answer() },
  )
  return platformStatusOf(wellPlatform, [], new DataDatabase(wire, { wipesPlans: true }))
}

const refusedLogin = {
  severity: 'FATAL',
  code: '28000',
  message: 'role is not permitted to log in',
  routine: 'auth',
}
const noRole = {
  severity: 'ERROR',
  code: '42501',
  message: 'permission denied to set role "anon"',
  routine: 'check',
}

// Every call of callers was 503, and the status was ok.
it.each([
  [() => proxySaid(REFUSED_AT_THE_DOOR[0] ?? ''), /^DATA_DATABASE_URL: its login is refused/],
  [() => postgresSaid(refusedLogin, 500), /^DATA_DATABASE_URL: its login is refused/],
  [() => proxySaid(REFUSED_AT_THE_DOOR[1] ?? ''), /addresses that its project allows/],
  [() => proxySaid(REFUSED_AT_THE_DOOR[3] ?? ''), /Neon does not start the endpoint/],
  [() => proxySaid(NO_CONNECTION.at(-1) ?? '', 500), /at the quotas/],
  [() => postgresSaid({ severity: 'FATAL', code: '3D000', message: 'none' }), /no database has that name/],
  [() => postgresSaid({ severity: 'FATAL', code: '53300', message: 'none' }, 500), /no connection left/],
  [() => postgresSaid(noRole), /may not act as anon and service_role/],
  [() => new Response('<html>', { status: 502 }), /^Callers’ data cannot be reached/],
])(
  'a data connection that fails degrades the platform, and what to look at is named (%#)',
  async (answer, words) => {
    const status = await statusWith(answer)
    expect(status).toMatchObject({
      status: 'degraded',
      database: { state: 'up', data_state: 'down' },
      problems: [expect.stringMatching(words)],
    })
    expect(JSON.stringify(status)).not.toMatch(/secret|203\.0\.113|neon\.tech/)
  },
)

it('a data connection is asked as both roles of callers, and well when it answers', async () => {
  let sent = ''
  const wire = new SqlWire(
    { connectionString: 'postgres://a:b@c/d', gatewayUrl: 'http://gateway' },
    {
      fetch: async (_url, init) => {
        sent = String(init.body)
        return Response.json({ results: [] })
      },
    },
  )
  const status = await platformStatusOf(wellPlatform, [], new DataDatabase(wire, { wipesPlans: true }))
  expect(status).toMatchObject({ status: 'ok', database: { data_state: 'up' }, problems: [] })
  expect(sent).toMatch(/"service_role".*'role','anon'/)
})

it('a data connection that never answers is down after two seconds', async () => {
  const status = statusWith(() => new Promise<Response>(() => {}))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await status).toMatchObject({ status: 'degraded', database: { data_state: 'down' } })
})
