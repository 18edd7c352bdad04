/** The unmodified driver over HTTP: what it gets from Neon it gets from the gateway. */
import { type NeonQueryFunction, neon } from '@neondatabase/serverless'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../../sql-gateway/server.ts'
import { type Answer, makePost, q, startPostgres, startTestGateway, type TestPostgres } from './support.ts'

let postgres: TestPostgres
let gateway: Gateway
let sql: NeonQueryFunction<false, false>
let post: ReturnType<typeof makePost>

beforeAll(async () => {
  postgres = await startPostgres()
  gateway = await startTestGateway(postgres)
  sql = neon(postgres.url())
  post = makePost(gateway, postgres.url())
  await sql`create table account (id int primary key, email text not null unique, balance numeric check (balance >= 0))`
}, 60_000)

afterAll(async () => {
  await gateway.close()
  await postgres.remove()
})

describe('a token', () => {
  // Whoever sends one believes that row-level security decides; the connection string's role may pass it.
  const ask = (url: string, authToken: string | (() => Promise<string>)) =>
    neon(url, { authToken })`select 1 as n`
  const refusal = { code: '0A000', message: expect.stringContaining('checks no tokens') }

  it.each(['own', 'no'])(
    'is refused and never ignored, with %s password in the connection string',
    async kind => {
      const url = kind === 'own' ? postgres.url() : postgres.url().replace(':APP@', '@')
      await expect(ask(url, 'eyJhbGciOiJub25lIn0.e30.')).rejects.toMatchObject(refusal)
      await expect(ask(url, async () => 'opaque')).rejects.toMatchObject(refusal)
    },
  )

  it('is refused in a transaction and beside a query too', async () => {
    const authToken = 'opaque'
    const signed = neon(postgres.url(), { authToken })
    await expect(signed.transaction([signed`select 1`])).rejects.toMatchObject(refusal)
    await expect(sql.query('select 1', [], { authToken })).rejects.toMatchObject(refusal)
    const headers = { Authorization: 'Basic b3duZXI6b3duZXI=' }
    expect((await post(q('select 1'), { headers })).json.code).toBe('0A000')
    expect(await sql`select 1 as n`).toEqual([{ n: 1 }])
  })
})

describe('values', () => {
  it('brings every kind of value there and back', async () => {
    const when = new Date('2026-03-04T05:06:07.089Z')
    const bytes = Buffer.from([0, 1, 127, 128, 255])
    const rows =
      await sql`select ${'Grüße 🐘 "\\ \n'}::text as text, ${42}::int as number, ${true}::bool as bool,
      ${null}::text as nothing, ${[1, 2, 3]}::int[] as list, ${['a"b', 'c\\d', 'e,{}', null]}::text[] as texts,
      ${{ deep: [1, { x: null }] }}::jsonb as json, ${bytes}::bytea as bytes, ${when}::timestamptz as time,
      ${'9007199254740993'}::int8 as big`
    expect(rows).toEqual([
      {
        text: 'Grüße 🐘 "\\ \n',
        number: 42,
        bool: true,
        nothing: null,
        list: [1, 2, 3],
        texts: ['a"b', 'c\\d', 'e,{}', null],
        json: { deep: [1, { x: null }] },
        bytes,
        time: when,
        big: '9007199254740993',
      },
    ])
  })

  it('tells command, row count and fields as Neon does', async () => {
    const full = await sql.query(
      'insert into account values (1, $1, 10), (2, $2, 20) returning id',
      ['a@x', 'b@x'],
      {
        fullResults: true,
      },
    )
    expect(full).toMatchObject({ command: 'INSERT', rowCount: 2, rows: [{ id: 1 }, { id: 2 }] })
    expect(full.fields).toEqual([
      {
        name: 'id',
        dataTypeID: 23,
        tableID: expect.any(Number),
        columnID: 1,
        dataTypeSize: 4,
        dataTypeModifier: -1,
        format: 'text',
      },
    ])
    const created = await post(q('create table made (id int)'))
    expect(created.json).toEqual({
      fields: [],
      rows: [],
      command: 'CREATE',
      rowCount: null,
      rowAsArray: true,
    })
    const empty = await post(q(''))
    expect(empty.json).toEqual({ fields: [], rows: [], command: '', rowCount: null, rowAsArray: true })
  })

  it('answers objects with parsed values when no header asks otherwise', async () => {
    const query = `select 1 as int, 2::int8 as big, 1.5::float8 as float, 'NaN'::float8 as nan, true as bool,
      '{"a": [1]}'::jsonb as json, '{{1,NULL},{3,4}}'::int[] as matrix, '{t,f}'::bool[] as bools,
      array['a,b', 'NULL', null, 'c"d'] as texts, '[2:3]={7,8}'::int[] as bounds, '{}'::int[] as none`
    const { json } = await post(q(query), {
      headers: { 'Neon-Raw-Text-Output': 'false', 'Neon-Array-Mode': 'false' },
    })
    expect(json.rowAsArray).toBe(false)
    expect(json.rows).toEqual([
      {
        int: 1,
        big: '2',
        float: 1.5,
        nan: 'NaN',
        bool: true,
        json: { a: [1] },
        matrix: [
          [1, null],
          [3, 4],
        ],
        bools: [true, false],
        texts: ['a,b', 'NULL', null, 'c"d'],
        bounds: [7, 8],
        none: [],
      },
    ])
  })

  it('keeps the digits of numbers in a request and the line breaks of texts in lists', async () => {
    const body =
      '{"query":"select $1::numeric, $2::jsonb, $3::text[], $4::bool",' +
      '"params":[123456789012345678901234567890,{"n":12345678901234567890},["a\\nb","c\\"d",null,{"e":1}],true]}'
    const { json } = await post(body)
    expect(json.rows).toEqual([
      [
        '123456789012345678901234567890',
        '{"n": 12345678901234567890}',
        '{"a\nb","c\\"d",NULL,"{\\"e\\":1}"}',
        't',
      ],
    ])
  })

  it('carries a thousand rows and a large value whole', async () => {
    const rows = await sql`select i, repeat('é', 1000) as text from generate_series(1, 1000) i`
    expect(rows).toHaveLength(1000)
    expect(rows[999]).toEqual({ i: 1000, text: 'é'.repeat(1000) })
    expect(await sql`select repeat('x', 5000000) as text`).toEqual([{ text: 'x'.repeat(5_000_000) }])
  })
})

describe('batches', () => {
  it('runs a batch in one transaction with the isolation that was asked for', async () => {
    const results = await sql.transaction(
      [
        sql`select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as ro,
            current_setting('transaction_deferrable') as deferrable, pg_current_xact_id_if_assigned() as xid`,
        sql`select now() as a`,
        sql`select now() as a`,
      ],
      { isolationLevel: 'Serializable', readOnly: true, deferrable: true },
    )
    expect(results[0]).toEqual([{ level: 'serializable', ro: 'on', deferrable: 'on', xid: null }])
    expect(results[1]).toEqual(results[2])
    const levels = {
      ReadUncommitted: 'read uncommitted',
      ReadCommitted: 'read committed',
      RepeatableRead: 'repeatable read',
    }
    for (const [name, level] of Object.entries(levels)) {
      const [rows] = await sql.transaction([sql`show transaction_isolation`], {
        isolationLevel: name as 'ReadCommitted',
      })
      expect(rows).toEqual([{ transaction_isolation: level }])
    }
    const unknown = await post(
      { queries: [q('select 1')] },
      { headers: { 'Neon-Batch-Isolation-Level': 'Chaos' } },
    )
    expect(unknown).toMatchObject({ status: 400, json: { message: 'invalid isolation level' } })
  })

  it('refuses to write in a read-only batch and leaves nothing of a batch that fails', async () => {
    const write = sql.transaction([sql`insert into account values (50, 'ro@x', 1)`], { readOnly: true })
    await expect(write).rejects.toMatchObject({ code: '25006' })
    const failing = sql.transaction([sql`insert into account values (51, 'gone@x', 1)`, sql`select 1 / 0`])
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await sql`select 1 from account where id in (50, 51)`).toEqual([])
  })

  it('answers an empty batch with no results', async () => {
    expect((await post({ queries: [] })).json).toEqual({ results: [] })
  })
})

describe('errors', () => {
  it("passes every field of an error under Neon's names", async () => {
    await sql`insert into account values (60, 'twice@x', 1)`
    await expect(sql`insert into account values (61, 'twice@x', 1)`).rejects.toMatchObject({
      name: 'NeonDbError',
      message: 'duplicate key value violates unique constraint "account_email_key"',
      severity: 'ERROR',
      code: '23505',
      detail: 'Key (email)=(twice@x) already exists.',
      schema: 'public',
      table: 'account',
      constraint: 'account_email_key',
      file: 'nbtinsert.c',
      line: expect.any(String),
      routine: '_bt_check_unique',
    })
    await expect(sql`select nope from account`).rejects.toMatchObject({ code: '42703', position: '8' })
    await expect(sql`do $$ begin execute 'selec 1'; end $$`).rejects.toMatchObject({
      internalPosition: '1',
      internalQuery: 'selec 1',
      where: expect.stringContaining('PL/pgSQL'),
    })
    await expect(
      sql`do $$ begin raise 'no' using hint = 'try', datatype = 'd', column = 'c'; end $$`,
    ).rejects.toMatchObject({
      hint: 'try',
      dataType: 'd',
      column: 'c',
    })
  })

  it('says which statement of a batch failed', async () => {
    const failure = await post({ queries: [q('select 1'), q('select 1 / 0'), q('select 2')] })
    expect(failure).toMatchObject({ status: 400, json: { code: '22012', queryIndex: 1, detail: null } })
  })

  it('goes on after errors of many kinds on the same connection', async () => {
    const one = await startTestGateway(postgres, { limits: { callerPoolSize: 1 } })
    const ask = makePost(one, postgres.url())
    const bad: Promise<Answer>[] = [
      ask(q('selec')),
      ask(q('select $1::int', ['x'])),
      ask(q('select $1::int', ['1', '2'])),
      ask(q('select 1; select 2')),
      ask({ queries: [q('select 1'), q('select nope')] }),
    ]
    for (const answer of await Promise.all(bad)) expect(answer.status).toBe(400)
    expect((await ask(q('select 7'))).json.rows).toEqual([['7']])
    await one.close()
  })
})
