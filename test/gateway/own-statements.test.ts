/** Quoin's own statements: names, their limit, the repeat after a change of schema, and the raw answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../../sql-gateway/server.ts'
import { makePost, q, startPostgres, startTestGateway, type TestPostgres } from './support.ts'

const OWN = { 'Quoin-Statements': 'own' }
const BODY = { ...OWN, 'Quoin-Result': 'body' }
const LIST_NAMES =
  "select statement, generic_plans + custom_plans from pg_prepared_statements where statement like '%' || $1"

let postgres: TestPostgres
let gateway: Gateway
let post: ReturnType<typeof makePost>

beforeAll(async () => {
  postgres = await startPostgres()
  gateway = await startTestGateway(postgres, { limits: { ownPoolSize: 1, callerPoolSize: 2 } })
  post = makePost(gateway, postgres.url())
  await post(q('create table parent (id int primary key)'))
  await post(q('create table child (id int references parent deferrable initially deferred)'))
  await post(q('create table item (id int primary key, name text)'))
}, 60_000)

afterAll(async () => {
  await gateway.close()
  await postgres.remove()
})

beforeEach(async () => {
  await post(q('truncate item, child, parent'))
  await post(q("insert into item values (1, 'one'), (2, 'zwei – ü')"))
})

async function own(...queries: ReturnType<typeof q>[]) {
  return post({ queries }, { headers: OWN })
}

describe('names', () => {
  it('prepares each text once a connection, also when a batch uses it twice', async () => {
    const text = 'select name from item where id = $1 -- once'
    for (let i = 0; i < 3; i++) {
      const { json } = await own(q(text, [1]), q(text, [2]))
      expect(json.results.map((result: { rows: unknown }) => result.rows)).toEqual([
        [['one']],
        [['zwei – ü']],
      ])
      expect(json.results[1].fields).toEqual(json.results[0].fields)
    }
    expect((await own(q(LIST_NAMES, ['-- once']))).json.results[0].rows).toEqual([[text, '6']])
  })

  it("never names a caller's text", async () => {
    const { json } = await post({
      queries: [q('select 1'), q('select count(*) from pg_prepared_statements')],
    })
    expect(json.results[1].rows).toEqual([['0']])
  })

  it('keeps at most 50 names and closes the least recently used', async () => {
    const text = (i: number): string => `select ${i} -- many`
    for (let i = 0; i < 49; i++) await own(q(text(i)))
    await own(q(text(0)))
    for (let i = 49; i < 80; i++) await own(q(text(i)))
    const names = await own(q(LIST_NAMES, ['-- many']), q('select count(*) from pg_prepared_statements'))
    expect(Number(names.json.results[1].rows[0][0])).toBe(50)
    const kept = names.json.results[0].rows.map(([statement]: [string]) => statement)
    expect(kept).toContain(text(0))
    expect(kept).toContain(text(79))
    expect(kept).not.toContain(text(1))
    expect((await own(q(text(1)))).json.results[0].rows).toEqual([['1']])
  })

  it('runs a batch of more than 50 different texts', async () => {
    const queries = Array.from({ length: 450 }, (_, i) => q(`select ${i} -- wide`))
    for (let pass = 0; pass < 2; pass++) {
      const { json } = await own(...queries)
      expect(json.results.map((result: { rows: string[][] }) => result.rows[0]?.[0])).toEqual(
        queries.map((_, i) => String(i)),
      )
      const { rows } = (await own(q('select count(*)::int <= 50 from pg_prepared_statements'))).json
        .results[0]
      expect(rows).toEqual([['t']])
    }
  })

  it('repeats a batch once with fresh names when a result type changed', async () => {
    const queries = [q('insert into parent values ($1)', [1]), q('select * from item where id = $1', [1])]
    await own(...queries)
    await post(q('delete from parent'))
    await post(q('alter table item add column extra int default 5'))
    const { status, json } = await own(...queries)
    expect(status).toBe(200)
    expect(json.results[1].rows).toEqual([['1', 'one', '5']])
    expect((await post(q('select count(*) from parent'))).json.rows).toEqual([['1']])
    await post(q('alter table item drop column extra'))
  })

  it('recovers when the names are gone from the session', async () => {
    const single = (): ReturnType<typeof post> =>
      post(q('select name from item where id = 1'), { headers: OWN })
    await single()
    await post(q('deallocate all'), { headers: OWN })
    expect((await single()).json.rows).toEqual([['one']])
    expect((await own(q('select 1'))).status).toBe(200)
    expect((await single()).json.rows).toEqual([['one']])
  })

  it('recovers when a function of a batch that only reads takes the names away', async () => {
    await post(
      q(`create function lose() returns int language plpgsql as $$ begin deallocate all; return 1; end $$`),
    )
    for (let i = 0; i < 3; i++) {
      const reads = { ...OWN, 'Neon-Batch-Read-Only': 'true' }
      const { json } = await post({ queries: [q('select lose()')] }, { headers: reads })
      expect(json.results[0].rows).toEqual([['1']])
    }
  })

  it('reads a value anew as the type that its column has now, and closes the name that had another', async () => {
    await post(q('create table clock (at timestamp)'))
    await post(q("insert into clock values ('2020-01-01 10:00')"))
    const text =
      'select count(*) from clock where at < $1 and (true or array_eq(array[at], $2)) -- typed anew'
    const early = async () => (await own(q(text, ['2020-01-01T12:00:00+05:00', null]))).json.results[0].rows
    expect(await early()).toEqual([['1']])
    await post(q("alter table clock alter at type timestamptz using at at time zone 'UTC'"))
    expect(await early()).toEqual([['0']])
    expect(await early()).toEqual([['0']])
    expect((await own(q(LIST_NAMES, ['-- typed anew']))).json.results[0].rows).toEqual([[text, '1']])
  })

  it('keeps the name and the plans of a text that was sent a wrong value', async () => {
    const text = 'select $1::int -- kept'
    for (const value of ['1', 'x', '2', 'y', '3']) await own(q(text, [value]))
    expect((await own(q(LIST_NAMES, ['-- kept']))).json.results[0].rows).toEqual([[text, '3']])
    expect((await own(q(text, ['x']))).json).toMatchObject({ code: '22P02', queryIndex: 0 })
  })

  it('never runs again what has run', async () => {
    await post(q('create sequence tries'))
    const text = "select nextval('tries') / $1::int -- tried"
    await own(q(text, [1]))
    expect((await own(q(text, [0]))).json).toMatchObject({ code: '22012' })
    const failing = "do $$ begin perform nextval('tries'); raise 'never' using errcode = '0A000'; end $$"
    expect((await own(q(failing))).json).toMatchObject({ code: '0A000', message: 'never', queryIndex: 0 })
    expect((await post(q('select last_value from tries'))).json.rows).toEqual([['3']])
  })

  it('keeps names apart from those that a failed batch never parsed', async () => {
    await own(q('select 1 -- before'))
    await own(q('select 1 / 0 -- first'), q('select name from item where id = 1 -- later'))
    const { json } = await own(q('select name from item where id = 1 -- later'))
    expect(json.results[0].rows).toEqual([['one']])
    // It did not take a repeat, which would have closed all names.
    expect((await own(q(LIST_NAMES, ['-- before']))).json.results[0].rows).toHaveLength(1)
    const bad = await own(q('select $1::int -- typed', ['x']))
    expect(bad.json).toMatchObject({ code: '22P02', queryIndex: 0 })
    expect((await own(q('select $1::int -- typed', ['3']))).json.results[0]).toMatchObject({
      fields: [{ dataTypeID: 23 }],
      rows: [['3']],
    })
  })
})

describe('the raw answer', () => {
  it("is the first column of the last statement's first row, the others in a header", async () => {
    const last = q("select '{\"ä\": 1}'::json, 7, null, 'ü\"\n€🐘' union all select '[]', 8, null, null")
    const { status, headers, text } = await post({ queries: [q('select 99'), last] }, { headers: BODY })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(text).toBe('{"ä": 1}')
    expect(headers.get('quoin-row')).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(headers.get('quoin-row') ?? '')).toEqual(['7', null, 'ü"\n€🐘'])
  })

  it('tells NULL, an empty text and no row apart', async () => {
    const nothing = await post({ queries: [q('select null, 1')] }, { headers: BODY })
    expect([nothing.text, nothing.headers.get('quoin-row')]).toEqual(['', '["1"]'])
    const none = await post({ queries: [q('select 1 where false')] }, { headers: BODY })
    expect([none.text, none.headers.get('quoin-row')]).toEqual(['', 'null'])
    const single = await post(q("select 'x'"), { headers: BODY })
    expect([single.text, single.headers.get('quoin-row')]).toEqual(['x', '[]'])
  })

  it('carries 10 MB byte by byte', async () => {
    const { text, headers } = await post(
      {
        queries: [
          q(
            "select string_agg(md5(i::text), '' order by i), md5(string_agg(md5(i::text), '' order by i)) " +
              'from generate_series(1, 328000) i',
          ),
        ],
      },
      { headers: BODY },
    )
    expect(text.length).toBe(328_000 * 32)
    const { createHash } = await import('node:crypto')
    expect(JSON.parse(headers.get('quoin-row') ?? '')).toEqual([createHash('md5').update(text).digest('hex')])
  })

  it('is an error when only the COMMIT fails', async () => {
    // The constraint is deferred: the statement itself succeeds.
    const queries = [q('insert into child values ($1)', [404]), q("select '{}'")]
    const failed = await post({ queries }, { headers: BODY })
    expect(failed).toMatchObject({ status: 400, json: { code: '23503', queryIndex: 2 } })
    const asRows = await post({ queries })
    expect(asRows).toMatchObject({ status: 400, json: { code: '23503', queryIndex: 2 } })
    expect((await post(q('insert into child values (404)'))).json.code).toBe('23503')
    expect((await post(q('select count(*) from child'))).json.rows).toEqual([['0']])
  })

  it('answers errors as JSON with the index of the statement', async () => {
    const failed = await post({ queries: [q('select 1'), q('select nope')] }, { headers: BODY })
    expect(failed).toMatchObject({ status: 400, json: { code: '42703', queryIndex: 1 } })
  })
})
