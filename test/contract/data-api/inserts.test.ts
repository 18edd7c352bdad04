// POST on /v1/db/:table: what it answers and what it writes, from every form of body, and what an upsert does with a
// row that is there.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asOwner, makeDbCaller } from './caller.ts'
import { db, dropTables, fillTables, items, makeTables, names, patch, post, t } from './write-tables.ts'

beforeAll(makeTables)
beforeEach(fillTables)
afterAll(dropTables)

describe('POST', () => {
  test('answers 201 with the new row, defaults filled in', async () => {
    const { status, body, headers } = await post({ name: 'four' })
    expect(status).toBe(201)
    expect(body).toEqual([{ id: 4, name: 'four', qty: 7, tags: null, data: null, made: null, big: null }])
    expect(headers.get('content-range')).toBe('*/*')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('keeps every digit of numbers, arrays, JSON and null', async () => {
    const row =
      '{"name":"n","big":123456789012345678901234567890.123456789,"tags":["a,b","c\\"d"],' +
      '"data":{"x":[1,null]},"qty":null}'
    const { text } = await post(row, {}, `${items}?select=big,tags,data,qty`)
    expect(text).toBe(
      '[{"big":123456789012345678901234567890.123456789,"tags":["a,b","c\\"d"],"data":{"x": [1, null]},"qty":null}]',
    )
  })

  test('inserts all rows of an array or none', async () => {
    expect(
      (await post([{ name: 'a' }, { name: 'b' }])).body.map((row: { name: string }) => row.name),
    ).toEqual(['a', 'b'])
    const before = await names()
    expect((await post([{ name: 'c' }, { name: 'one' }])).status).toBe(409)
    expect(await names()).toEqual(before)
  })

  test('shapes the answer by select, order and Accept', async () => {
    const rows = [{ name: 'a' }, { name: 'b' }]
    const ordered = await post(rows, {}, `${items}?select=n:name&order=name.desc`)
    expect(ordered.body).toEqual([{ n: 'b' }, { n: 'a' }])
    const csv = await post({ name: 'x,"y"' }, { accept: 'text/csv' }, `${items}?select=name,qty`)
    expect(csv.text).toBe('name,qty\n"x,""y""",7')
    const one = await post(
      { name: 'z' },
      { accept: 'application/vnd.pgrst.object+json' },
      `${items}?select=name`,
    )
    expect(one.body).toEqual({ name: 'z' })
  })

  test('{} inserts the defaults, [] inserts nothing', async () => {
    expect((await post({}, {}, `${t}_nokey`)).body).toEqual([{ v: null }])
    expect((await post([{}, {}], {}, `${t}_nokey`)).body).toEqual([{ v: null }, { v: null }])
    const none = await post([])
    expect([none.status, none.body]).toEqual([201, []])
    expect((await post([], {}, `${t}_missing`)).status).toBe(404)
  })

  test('return=minimal has no body and no type, headers-only says where the row is', async () => {
    const minimal = await post({ name: 'a' }, { prefer: 'return=minimal' })
    expect([minimal.status, minimal.text, minimal.headers.get('content-type')]).toEqual([201, '', null])
    expect(minimal.headers.get('preference-applied')).toBe('return=minimal')
    const located = await post({ a: 1, b: 2 }, { prefer: 'return=headers-only' }, `${t}_keys`)
    expect([located.status, located.text]).toEqual([201, ''])
    expect(located.headers.get('location')).toBe(`/v1/db/${t}_keys?a=eq.1&b=eq.2`)
  })

  // JSON's readers round large numbers: the address was that of another row.
  test('the location of a new row is of that row, whatever its key', async () => {
    const keys = [
      ['bigint', '"9007199254740997"', 'eq.9007199254740997'],
      ['numeric', '"0.1000000000000000000000000001"', 'eq.0.1000000000000000000000000001'],
      ['text', '"a&b=c d"', 'eq.a%26b%3Dc%20d'],
      ['int[]', '[1,2]', 'eq.%7B1%2C2%7D'],
      ['jsonb', '{"a":1}', 'eq.%7B%22a%22%3A%201%7D'],
      ['varchar', `"${'x'.repeat(20_000)}"`, null],
    ] as const
    for (const [i, [type, key, filter]] of keys.entries()) {
      const table = `${t}_located_${i}`
      await asOwner(`create table public.${table} (id ${type} primary key)`)
      const { status, headers } = await post(`{"id":${key}}`, { prefer: 'return=headers-only' }, table)
      // An address of 20 000 characters is none that clients can use.
      const location = filter && `/v1/db/${table}?id=${filter}`
      expect([status, headers.get('location')]).toEqual([201, location])
      if (filter) expect((await db(`${table}?id=${filter}`)).body).toHaveLength(1)
      await asOwner(`drop table public.${table}`)
    }
  })

  test('the location of a new row is made of its key, whatever is selected, ordered or accepted', async () => {
    const headers = { prefer: 'return=headers-only' }
    for (const [query, accept] of [
      ['order=b&select=b', '*/*'],
      ['select=a:b&order=a', '*/*'],
      ['order=b', 'text/csv'],
    ] as const) {
      const path = `${t}_keys?${query}`
      const row = { a: 7, b: Math.floor(Math.random() * 1e9) }
      const { status, headers: answered } = await post(row, { ...headers, accept }, path)
      expect([status, answered.get('location')]).toEqual([201, `/v1/db/${t}_keys?a=eq.7&b=eq.${row.b}`])
    }
  })

  test('reads CSV with quotes, NULL and line breaks', async () => {
    const csv = 'name,qty,tags\r\n"a ""quoted"", one",5,"{x,y}"\n"two\nlines",NULL,NULL\n'
    const { status, body } = await db(`${items}?select=name,qty,tags`, {
      method: 'POST',
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    expect(status).toBe(201)
    expect(body).toEqual([
      { name: 'a "quoted", one', qty: 5, tags: ['x', 'y'] },
      { name: 'two\nlines', qty: null, tags: null },
    ])
  })

  test('reads back the CSV that it wrote', async () => {
    await post([
      { name: 'back\\slash "q"', qty: 1 },
      { name: '', qty: null },
    ])
    const { text } = await db(`${items}?select=name,qty&id=gt.3&order=id`, {
      headers: { accept: 'text/csv' },
    })
    expect(text).toBe('name,qty\n"back\\slash ""q""",1\n"",')
  })

  test('reads forms', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { body } = await db(`${items}?select=name,qty`, {
      method: 'POST',
      body: 'name=a+b%26c&qty=4',
      headers,
    })
    expect(body).toEqual([{ name: 'a b&c', qty: 4 }])
  })

  test('missing=default writes the default of this moment, not a remembered one', async () => {
    const prefer = { prefer: 'missing=default,return=representation' }
    const add = async (a: number) => (await post({ a }, prefer, `${t}_moving?columns=a,b`)).body
    await asOwner(`create table ${t}_moving (a int primary key, b int default 1)`)
    try {
      expect(await add(1)).toEqual([{ a: 1, b: 1 }])
      await asOwner(`alter table ${t}_moving alter b set default 2`)
      expect(await add(2)).toEqual([{ a: 2, b: 2 }])
      await asOwner(
        `alter table ${t}_moving alter b drop default, alter b type text, alter b set default 'three'`,
      )
      expect(await add(3)).toEqual([{ a: 3, b: 'three' }])
    } finally {
      await asOwner(`drop table ${t}_moving`)
    }
  })

  test('columns picks keys and lifts the rule of equal keys; missing=default fills the rest', async () => {
    const rows = [{ name: 'a', qty: 1, extra: true }, { name: 'b' }, { name: 'c', qty: null }]
    expect((await post(rows)).status).toBe(400)
    const path = `${items}?columns=name,qty&select=name,qty`
    expect((await post(rows, {}, path)).body.map((row: { qty: number }) => row.qty)).toEqual([1, null, null])
    await asOwner(`delete from ${items} where id > 3`)
    const filled = await post(rows, { prefer: 'missing=default' }, path)
    expect(filled.body.map((row: { qty: number }) => row.qty)).toEqual([1, 7, null])
    expect(filled.headers.get('preference-applied')).toBe('missing=default')
    const identity = await post(
      [{ name: 'e' }],
      { prefer: 'missing=default' },
      `${items}?columns=id,name&select=id`,
    )
    expect(identity.body[0].id).toBeGreaterThan(3)
  })

  test('a domain that refuses null takes the default under missing=default', async () => {
    const prefer = { prefer: 'missing=default' }
    const all = `${t}_coded?columns=id,code,note`
    expect(
      (
        await post(
          [
            { id: 1, note: 'n' },
            { id: 2, code: 'x' },
          ],
          prefer,
          all,
        )
      ).body,
    ).toEqual([
      { id: 1, code: 'none', note: 'n' },
      { id: 2, code: 'x', note: null },
    ])
    const reset = await patch(`${t}_coded?id=eq.2&columns=code,note`, { note: 'm' }, prefer)
    expect(reset.body).toEqual([{ id: 2, code: 'none', note: 'm' }])
    const refused = await post([{ id: 3, code: null }], prefer, all)
    expect([refused.status, refused.body.code]).toEqual([400, '23502'])
  })

  test('leaves out columns whose domain refuses null', async () => {
    expect((await post({ id: 1, note: 'n' }, {}, `${t}_coded`)).body).toEqual([
      { id: 1, code: 'none', note: 'n' },
    ])
    expect((await patch(`${t}_coded?id=eq.1`, { note: 'm' })).body).toEqual([
      { id: 1, code: 'none', note: 'm' },
    ])
    expect((await post({ id: 2, code: null }, {}, `${t}_coded`)).status).toBe(400)
  })

  test('writes through views', async () => {
    expect((await post({ name: 'v' }, {}, `${t}_view`)).body).toEqual([{ id: 4, name: 'v', qty: 7 }])
  })

  test('a trigger may set the status and headers', async () => {
    const { status, headers } = await post({ id: 1 }, {}, `${t}_answering_t`)
    expect(status).toBe(202)
    expect(headers.get('x-answered')).toBe('by trigger')
    expect(headers.get('cache-control')).toBe('max-age=9')
  })
})

describe('upsert', () => {
  const merge = { prefer: 'resolution=merge-duplicates' }
  const ignore = { prefer: 'resolution=ignore-duplicates' }

  test('merges on the primary key: 200 when every row existed, 201 when one is new', async () => {
    const changed = await post({ id: 1, name: 'uno' }, merge)
    expect([changed.status, changed.body[0].name, changed.body[0].qty]).toEqual([200, 'uno', 1])
    const mixed = await post(
      [
        { id: 2, name: 'dos' },
        { id: 9, name: 'nueve' },
      ],
      merge,
    )
    expect([mixed.status, mixed.body.length]).toEqual([201, 2])
    expect(mixed.headers.get('preference-applied')).toBe('resolution=merge-duplicates')
  })

  test('merges and ignores on the columns of on_conflict', async () => {
    const path = `${items}?on_conflict=name&select=name,qty`
    expect((await post({ name: 'one', qty: 100 }, merge, path)).body).toEqual([{ name: 'one', qty: 100 }])
    const ignored = await post(
      [
        { name: 'two', qty: 100 },
        { name: 'new', qty: 5 },
      ],
      ignore,
      path,
    )
    expect([ignored.status, ignored.body]).toEqual([201, [{ name: 'new', qty: 5 }]])
  })

  test('works where all columns are the key', async () => {
    await post({ a: 1, b: 1 }, {}, `${t}_keys`)
    const again = await post([{ a: 1, b: 1 }], merge, `${t}_keys`)
    expect([again.status, again.body]).toEqual([200, [{ a: 1, b: 1 }]])
  })

  test('is a plain insert where there is no key, and 42P10 where on_conflict names none', async () => {
    expect((await post({ v: 1 }, merge, `${t}_nokey`)).status).toBe(201)
    const wrong = await post({ name: 'q', qty: 1 }, merge, `${items}?on_conflict=qty`)
    expect([wrong.status, wrong.body.code]).toEqual([400, '42P10'])
    expect(wrong.body.hint).toContain('unique constraint')
  })

  test('the same key twice in one body is refused whole', async () => {
    const { status, body } = await post(
      [
        { id: 8, name: 'a' },
        { id: 8, name: 'b' },
      ],
      merge,
    )
    expect([status, body.code]).toEqual([500, '21000'])
    expect(body.hint).toContain('duplicate constrained values')
  })
})

// The operator's mistake and not the caller's: 500, with the words that say what to mend.
test('a policy that looks into its own table is 500, with its name', async () => {
  const loop = `${t}_loop`
  await asOwner(`
    create table ${loop} (id int);
    alter table ${loop} enable row level security;
    grant select on ${loop} to anon;
    create policy round on ${loop} to anon using (exists (select from ${loop}))`)
  const anon = await makeDbCaller('anon')
  const { status, body } = await anon(loop)
  await asOwner(`drop table ${loop}`)
  expect([status, body.code]).toEqual([500, '42P17'])
  expect(body.error).toContain(loop)
})
