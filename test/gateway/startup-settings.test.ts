/** Settings that somebody wrote into a role or a database do not decide over the pooled sessions of everybody. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makePost, q, startPostgres, startTestGateway, type TestPostgres } from './support.ts'

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
