/** Settings that somebody wrote into a role or a database do not decide over the pooled sessions of everybody. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayLog } from '../../sql-gateway/server.ts'
import { type Answer, makePost, q, startPostgres, startTestGateway, type TestPostgres } from './support.ts'

const HOSTILE = [
  'default_transaction_read_only = on',
  "role = 'other'",
  "timezone = 'Asia/Tokyo'",
  "datestyle = 'SQL, DMY'",
  'statement_timeout = 1',
  "search_path = 'nowhere'",
  'row_security = off',
  'extra_float_digits = -15',
  "bytea_output = 'escape'",
  'array_nulls = off',
]
const SETTINGS = `select current_setting('default_transaction_read_only'), current_user, current_setting('timezone'),
  current_setting('datestyle'), current_setting('statement_timeout'), current_setting('search_path'),
  current_setting('row_security'), current_setting('extra_float_digits'), current_setting('bytea_output'),
  current_setting('array_nulls')`
const EXPECTED = ['off', 'app', 'UTC', 'ISO, MDY', '0', '"$user", public', 'on', '1', 'hex', 'on']

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
  await postgres.admin.query('grant other to app')
}, 60_000)

afterAll(() => postgres.remove())

// The attack: a holder of the service_role key runs DO $$ ... ALTER ROLE authenticator SET ... $$.
it.each(['role app', 'database app'])('opens pooled sessions as ever after ALTER %s SET', async target => {
  for (const setting of HOSTILE) {
    await postgres.admin.query(`alter ${target} set ${setting}`)
  }
  const gateway = await startTestGateway(postgres, { limits: { ownPoolSize: 1, callerPoolSize: 1 } })
  const post = makePost(gateway, postgres.url())
  try {
    for (const headers of [{ 'Quoin-Statements': 'own' }, {}]) {
      // The second time after a reset: what it returns to is what the session started with.
      for (let i = 0; i < 2; i++) {
        const { json } = await post(
          { queries: [q(SETTINGS), q('create table written (id int)')] },
          { headers },
        )
        expect(json.results[0].rows).toEqual([EXPECTED])
        await post(q('drop table written'), { headers })
      }
    }
  } finally {
    await gateway.close()
    await postgres.admin.query(`alter ${target} reset all`)
  }
})

describe("a login role's own settings", () => {
  const OWN = { 'Quoin-Statements': 'own' }
  const logged: unknown[] = []
  const log = {
    info() {},
    warn() {},
    error: (...line: unknown[]) => logged.push(line),
  } as unknown as GatewayLog

  const reset = () =>
    postgres.admin.query(`alter role other reset all; alter role other in database app reset all;
      alter role app reset all; alter database app reset all`)
  afterEach(reset)

  /** What a gateway that starts now answers; its connections are new. */
  async function answer(headers: Record<string, string> = OWN, sql = 'select 1'): Promise<Answer> {
    const limits = { ownPoolSize: 2, callerPoolSize: 1 }
    const gateway = await startTestGateway(postgres, { databaseUrls: [postgres.url('other')], limits, log })
    const post = makePost(gateway, postgres.url('other'))
    await post({ queries: [q(sql)] }, { headers })
    return post({ queries: [q(sql)] }, { headers }).finally(() => gateway.close())
  }

  // The attack: SQL of a service_role key runs in a session of the login role, which may always write its settings.
  it.each([
    [
      'backslash_quote, default_text_search_config, gin_fuzzy_search_limit, plan_cache_mode, transaction_timeout, ' +
        'work_mem, xmloption',
      `alter role current_user set default_text_search_config = 'simple';
      alter role current_user set gin_fuzzy_search_limit = 1;
      alter role current_user set plan_cache_mode = force_generic_plan;
      alter role current_user set work_mem = '64kB';
      alter role current_user set xmloption = document;
      alter role current_user set backslash_quote = on;
      alter role current_user set transaction_timeout = 60000`,
    ],
    [
      'restrict_nonsystem_relation_kind',
      "alter role current_user in database app set restrict_nonsystem_relation_kind = 'view'",
    ],
    // Of a library that is loaded when its first function runs: pg_settings does not know it before.
    ['plpgsql.check_asserts', 'alter role current_user set plpgsql.check_asserts = off'],
  ])('keep all of its connections out of the pools: %s', async (names, attack) => {
    expect((await answer({}, `do $$ begin ${attack}; end $$`)).status).toBe(200)
    logged.length = 0
    for (const headers of [OWN, {}]) {
      const { json } = await answer(headers)
      expect(json).toMatchObject({
        code: '28000',
        severity: 'FATAL',
        message: expect.stringContaining(names),
      })
      expect(json.hint).toContain('ALTER ROLE "other" RESET ALL')
    }
    // A line for each gateway, whatever is called.
    expect(logged).toHaveLength(2)
    expect(JSON.stringify(logged)).toContain(names)
    await reset()
    expect((await answer()).status).toBe(200)
  })

  it('are no matter where the start-up packet overrides them, or a superuser alone may write them', async () => {
    await postgres.admin.query("alter role other set timezone = 'Asia/Tokyo'")
    await postgres.admin.query('alter role other set log_min_duration_statement = 100000')
    await postgres.admin.query("alter role other set pgrst.db_schemas = 'api'")
    const { json } = await answer(OWN, "select current_setting('timezone')")
    expect(json.results[0].rows).toEqual([['UTC']])
  })

  it('are its own affair where it owns the database, and so is what is set for the database', async () => {
    await postgres.admin.query("alter role app set work_mem = '9MB'")
    await postgres.admin.query("alter database app set default_text_search_config = 'german'")
    const sql = "select current_setting('work_mem'), current_setting('default_text_search_config')"
    const gateway = await startTestGateway(postgres)
    const { json } = await makePost(gateway, postgres.url())(q(sql))
    expect(json.rows).toEqual([['9MB', 'pg_catalog.german']])
    await gateway.close()
    expect((await answer(OWN, sql)).json.results[0].rows).toEqual([['4MB', 'pg_catalog.german']])
  })
})
