// A value that its column cannot hold: the answer says which column it stands in, and in which row of a body.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, type DbCall, type DbCaller, freshPrefix, makeDbCaller } from './caller.ts'

const t = freshPrefix()
let db: DbCaller
let anon: DbCaller

beforeAll(async () => {
  await asOwner(`
    create type ${t}_mood as enum ('sad', 'ok');
    create table ${t}_rows (
      id int primary key, name text, qty int, at timestamptz, nums int[], mood ${t}_mood, data jsonb
    );
    create function ${t}_add(a int, b int) returns int language sql as 'select a + b';
    create view ${t}_cast as select name, name::int as number from ${t}_rows;
    grant select on ${t}_rows to anon;
    grant execute on function ${t}_add(int, int) to service_role;
  `)
  db = await makeDbCaller()
  anon = await makeDbCaller('anon')
})

afterAll(() =>
  asOwner(`drop view ${t}_cast; drop table ${t}_rows; drop function ${t}_add; drop type ${t}_mood`),
)

async function refusalOf(path: string, call: DbCall = {}, caller = db) {
  const { status, body } = await caller(`${t}_${path}`, call)
  expect([status, body.code]).toEqual([400, expect.stringMatching(/^22/)])
  return body as { detail: string | null; hint: string }
}

describe('a filter', () => {
  test.each([
    ['id=eq.abc', 'id'],
    ['name=eq.abc&qty=in.(1,abc)', 'qty'],
    ['or=(name.eq.abc,and(id.gt.1,at.lt.abc))', 'at'],
    ['nums=cs.{abc}', 'nums'],
    ['mood=eq.abc&name=eq.abc', 'mood'],
    ['data->a=eq.abc', 'data'],
    ['qty=gt.99999999999', 'qty'],
  ])('%s names the column', async (query, column) => {
    expect((await refusalOf(`rows?${query}`)).detail).toContain(
      `The value stands in the filter on "${column}".`,
    )
  })

  test('names it to an anon key too, which sent it', async () => {
    expect((await refusalOf('rows?id=eq.abc', {}, anon)).detail).toContain('"id"')
  })

  test.each(['id', 'at', 'mood'])('%s=eq.null hints at is.null', async column => {
    expect((await refusalOf(`rows?${column}=eq.null`)).hint).toBe(
      `To test for a missing value write ${column}=is.null.`,
    )
  })
})

describe('a body', () => {
  const send = (body: unknown, type = 'application/json', path = 'rows', method = 'POST') =>
    refusalOf(path, { method, body, headers: { 'content-type': type } })

  test('of JSON names column and row', async () => {
    const rows = [
      { id: 1, name: 'x', qty: 1 },
      { id: 2, name: 'x', qty: 'x' },
    ]
    expect((await send(rows)).detail).toBe('The value stands in column "qty" of row 2.')
    expect((await send({ id: 1, at: 'soon' })).detail).toContain('column "at" of row 1')
    expect((await send({ id: 1, nums: [1, 'x'] })).detail).toContain('column "nums" of row 1')
  })

  test('of a change names column or filter', async () => {
    await asOwner(`insert into ${t}_rows (id) values (9)`)
    const change = (query: string, body: unknown) => send(body, undefined, `rows?${query}`, 'PATCH')
    expect((await change('id=eq.9', { qty: 'x' })).detail).toContain('column "qty" of row 1')
    expect((await change('id=eq.x', { name: 'x' })).detail).toContain('the filter on "id"')
  })

  test('of CSV names column and row', async () => {
    const csv = 'id,name,qty\n1,"x\ny",1\n2,x,x\n'
    expect((await send(csv, 'text/csv')).detail).toBe(
      'The value stands in column "qty" of row 2, the header not counted.',
    )
  })

  test('of a form names the column', async () => {
    expect((await send('id=1&qty=x', 'application/x-www-form-urlencoded')).detail).toContain('column "qty"')
  })

  test('of a call names the argument', async () => {
    const { detail } = await refusalOf('add', {}, (_, call) =>
      db(`rpc/${t}_add`, { ...call, method: 'POST', body: { a: 1, b: 'x' } }),
    )
    expect(detail).toBe('The value stands in the argument "b".')
  })
})

test('a function that fails by itself says so, whatever names no argument', async () => {
  await asOwner(`create function ${t}_fails() returns int language sql as $$select 'abc'::text::int$$`)
  for (const body of ['{}', '[]', ' [ ] ', '']) {
    const answer = await db(`rpc/${t}_fails`, { method: 'POST', body })
    expect([answer.status, answer.body.code], body).toEqual([400, '22P02'])
  }
  await asOwner(`drop function ${t}_fails()`)
})

test('a value that was not sent has no place in the request', async () => {
  await asOwner(`insert into ${t}_rows (id, name) values (1, 'word')`)
  expect((await refusalOf('cast?select=number')).detail).toBeNull()
})
