/**
 * Proves what an error says of the batch that failed: committed, undone or unknown, and of an answer that is too large
 * its bound. Both are fields, and no words of anybody's SQL reach them. (A connection that is lost at COMMIT:
 * `test/hostile/gateway/shares.test.ts`.)
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Gateway } from '../../sql-gateway/server.ts'
import {
  type Answer,
  makePost,
  mark,
  type PostOptions,
  q,
  startPostgres,
  startTestGateway,
  type TestPostgres,
} from './support.ts'

const MEBIBYTE = 1024 * 1024
const OWN = { 'Quoin-Statements': 'own' }

let postgres: TestPostgres
let gateway: Gateway
let post: (body: object, options?: PostOptions) => Promise<Answer>

beforeAll(async () => {
  postgres = await startPostgres()
  gateway = await startTestGateway(postgres, { limits: { resultBytesMax: 4 * MEBIBYTE } })
  post = makePost(gateway, postgres.url())
  await post(q('create table made (by_whom text)'))
})

afterAll(async () => {
  await gateway.close()
  await postgres.remove()
})

async function isMade(note: string): Promise<boolean> {
  const { json } = await post(q('select count(*) from made where by_whom = $1', [note]))
  return json.rows[0][0] === '1'
}

/** A change by `note`, then `sql`, in one transaction. */
const change = (note: string, sql: string, headers: Record<string, string> = {}) =>
  post({ queries: [q('insert into made values ($1)', [note]), q(sql)] }, { headers })

it.each([{}, OWN])('an answer over its bound before COMMIT is undone (%o)', async headers => {
  const note = mark()
  const { json } = await change(note, "select repeat('x', 1000), generate_series(1, 100000000)", headers)
  expect(json).toMatchObject({ code: '54000', outcome: 'undone', bytesMax: 4 * MEBIBYTE })
  expect(await isMade(note)).toBe(false)
})

// Postgres is done with so small an answer before the gateway has read of it, now and then.
it.each([{}, OWN])(
  'an answer over its bound says what became of the batch, whichever it was (%o)',
  async headers => {
    const outcomes = new Set<string>()
    for (let i = 0; i < 40; i++) {
      const note = mark()
      const sql = `select repeat('x', ${i * 1_000 + 2_000})`
      const { json } = await change(note, sql, { ...headers, 'Quoin-Result-Bytes-Max': '1000' })
      expect([json.code, json.outcome]).toEqual(['54000', (await isMade(note)) ? 'committed' : 'undone'])
      expect(json.bytesMax).toBe(1_000)
      outcomes.add(json.outcome)
    }
    expect(outcomes).toContain('committed')
  },
)

it('a Quoin-Row over its bound is committed', async () => {
  const note = mark()
  const headers = { ...OWN, 'Quoin-Result': 'body' }
  const { status, json } = await change(note, "select 'body', repeat('x', 40000)", headers)
  expect({ status, ...json }).toMatchObject({ status: 400, outcome: 'committed', bytesMax: 32 * 1024 })
  expect(await isMade(note)).toBe(true)
})

// The attack: words and SQLSTATEs of the gateway's own errors, raised by a function, at a statement or in COMMIT.
it.each(['P0001', '54000', '08007', '53400'])(
  'what SQL raises with %s is undone, whatever it says',
  async code => {
    const raise = `raise exception 'result larger than 5 bytes; committed' using
    errcode = '${code}', detail = 'The batch was committed.', hint = 'outcome: committed';`
    await post(
      q(`create or replace function shout() returns trigger language plpgsql as $$ begin ${raise} end $$`),
    )
    await post(q('create table if not exists late (id int)'))
    await post(q('drop trigger if exists at_commit on late'))
    await post(
      q(`create constraint trigger at_commit after insert on late deferrable initially deferred
      for each row execute function shout()`),
    )
    for (const sql of [`do $$ begin ${raise} end $$`, 'insert into late values (1)']) {
      for (const headers of [{}, OWN]) {
        const note = mark()
        const { json } = await change(note, sql, headers)
        expect(json).toMatchObject({ code, outcome: 'undone', detail: 'The batch was committed.' })
        expect(json).not.toHaveProperty('bytesMax')
        expect(await isMade(note)).toBe(false)
      }
    }
  },
)

it.each([
  ['no JSON', 'nonsense', {}],
  ['a bound that is none', { queries: [] }, { 'Quoin-Result-Bytes-Max': '0' }],
  ['a token', { queries: [] }, { Authorization: 'Bearer x' }],
])('a request that is refused is undone (%s)', async (_, body, headers) => {
  expect((await post(body as object, { headers })).json).toMatchObject({ outcome: 'undone' })
})

it('a batch over its deadline is undone', async () => {
  const note = mark()
  const { json } = await change(note, 'select pg_sleep(60)', { 'Quoin-Timeout-Ms': '200' })
  expect(json).toMatchObject({ code: '57014', outcome: 'undone' })
  expect(await isMade(note)).toBe(false)
})
