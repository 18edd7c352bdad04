// A value that its column cannot hold: Postgres' code and words, and the column where Postgres or the filter gives it.

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
  return body as { error: string; detail: string | null; hint: string }
}

describe('a filter', () => {
  test.each([
    ['id=eq.abc', 'abc'],
    ['name=eq.abc&qty=in.(1,abc)', 'abc'],
    ['or=(name.eq.abc,and(id.gt.1,at.lt.abc))', 'abc'],
    ['nums=cs.{abc}', 'abc'],
    ['mood=eq.abc&name=eq.abc', 'abc'],
    ['qty=gt.99999999999', '99999999999'],
  ])('%s names the value', async (query, value) => {
    expect((await refusalOf(`rows?${query}`)).error).toContain(`"${value}"`)
    expect((await refusalOf(`rows?${query}`, {}, anon)).error).toContain(`"${value}"`)
  })

  test('of JSON has what Postgres says of it', async () => {
    expect((await refusalOf('rows?data->a=eq.abc')).detail).toBe('Token "abc" is invalid.')
  })

  test.each(['id', 'at', 'mood'])('%s=eq.null hints at is.null', async column => {
    const hint = `To test for a missing value write ${column}=is.null.`
    expect((await refusalOf(`rows?${column}=eq.null`)).hint).toBe(hint)
    expect((await refusalOf(`rows?or=(id.gt.1,and(${column}.eq.null,name.eq.x))`)).hint).toBe(hint)
  })
})

describe('a body', () => {
  const send = (body: unknown, type = 'application/json', query = '', method = 'POST') =>
    refusalOf(`rows${query}`, { method, body, headers: { 'content-type': type } })

  test.each([
    ['JSON', [{ id: 1, name: 'x', qty: 'x' }], 'application/json'],
    ['CSV', 'id,name,qty\n1,"x\ny",1\n2,x,x\n', 'text/csv'],
    ['a form', 'id=1&qty=x', 'application/x-www-form-urlencoded'],
  ])('of %s names the value', async (_, body, type) => {
    expect((await send(body, type)).error).toBe('invalid input syntax for type integer: "x"')
  })

  test('with the text "null" is not told of filters', async () => {
    expect((await send({ id: 1, qty: 'null' })).hint).toBe('Send a valid integer.')
    await asOwner(`insert into ${t}_rows (id) values (9)`)
    expect((await send({ qty: 'null' }, undefined, '?id=eq.9', 'PATCH')).hint).toBe('Send a valid integer.')
  })

  test('that lacks a value names the column, as Postgres does', async () => {
    const { status, body } = await db(`${t}_rows`, { method: 'POST', body: { name: 'x' } })
    expect([status, body.code]).toEqual([400, '23502'])
    expect(body.error).toContain('"id"')
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

test('an argument, and a value that was not sent, are named as Postgres names them', async () => {
  const call = await db(`rpc/${t}_add`, { method: 'POST', body: { a: 1, b: 'x' } })
  expect([call.status, call.body.error]).toEqual([400, 'invalid input syntax for type integer: "x"'])
  await asOwner(`insert into ${t}_rows (id, name) values (1, 'word')`)
  expect((await refusalOf('cast?select=number')).error).toContain('"word"')
})
