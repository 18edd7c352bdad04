// POST /v1/db/rpc/:function: arguments, overloads, shapes of results, and what a refused call leaves behind.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, type DbCaller, freshPrefix, makeDbCaller } from './caller.ts'

const t = freshPrefix()
let db: DbCaller
let anon: DbCaller

beforeAll(async () => {
  await asOwner(`
    create table ${t}_rows (id int primary key, name text, hidden int default 3);
    insert into ${t}_rows select i, 'row ' || i from generate_series(1, 5) i;
    create function ${t}_add(a int, b int default 10) returns int language sql immutable as 'select a + b';
    create function ${t}_nothing() returns void language plpgsql as 'begin end';
    create function ${t}_null() returns text language sql as 'select null::text';
    create function ${t}_series(n int) returns setof int language sql as 'select generate_series(1, n)';
    create function ${t}_list() returns setof ${t}_rows language sql stable as 'select * from ${t}_rows order by id';
    create function ${t}_one(wanted int) returns ${t}_rows language sql stable
      as 'select * from ${t}_rows where id = wanted';
    create function ${t}_table() returns table (k int, v text) language sql as $$ values (1, 'a'), (2, null) $$;
    create function ${t}_counted() returns table (count int, max int) language sql as 'select 1, 2';
    create type ${t}_tally as (id int, count int);
    create function ${t}_tallied() returns setof ${t}_tally language sql as 'select 3, 4';
    create function ${t}_outs(in x int, out double int, out half numeric) language sql as 'select x * 2, x / 2.0';
    create function ${t}_sum(variadic numbers int[]) returns int language sql
      as 'select sum(n)::int from unnest(numbers) n';
    create function ${t}_whole(json) returns text language sql as 'select json_typeof($1)';
    create function ${t}_arrays(words text[], extra jsonb) returns text language sql
      as $$ select words[2] || (extra->>'k') $$;
    create function ${t}_over(a int) returns text language sql as $$ select 'a' $$;
    create function ${t}_over(a int, b int) returns text language sql as $$ select 'ab' $$;
    create function ${t}_twice(a int) returns text language sql as $$ select 'int' $$;
    create function ${t}_twice(a text) returns text language sql as $$ select 'text' $$;
    create function ${t}_insert(n int) returns setof ${t}_rows language sql
      as $$ insert into ${t}_rows select i, 'new' from generate_series(100, 99 + n) i returning * $$;
    create function ${t}_liar() returns int language sql stable as $$ select count(*)::int from ${t}_insert(1) $$;
    create function ${t}_session() returns text language sql
      as $$ select set_config('search_path', 'pg_catalog', false) $$;
    create function ${t}_teapot() returns void language plpgsql as $$ begin
      raise sqlstate 'PT418' using message = 'I am a teapot', detail = 'short', hint = 'stout'; end $$;
    create function ${t}_slow() returns void language sql as 'select pg_sleep(30)';
    grant execute on all functions in schema public to service_role;
    revoke execute on function ${t}_add(int, int) from public;
    grant execute on function ${t}_series(int), ${t}_list() to anon;
  `)
  db = await makeDbCaller()
  anon = await makeDbCaller('anon')
})

afterAll(() =>
  asOwner(`do $$ declare f record; begin
    for f in select oid::regprocedure as name from pg_proc where proname like '${t}\\_%' loop
      execute 'drop function ' || f.name; end loop; end $$;
    drop type ${t}_tally;
    drop table ${t}_rows`),
)

const call = (name: string, body?: unknown, headers = {}, query = '') =>
  db(`rpc/${t}_${name}${query}`, { method: 'POST', body, headers })

describe('arguments', () => {
  test('go by name, those with a default may be left out', async () => {
    expect((await call('add', { a: 1, b: 2 })).text).toBe('3')
    expect((await call('add', { b: 2, a: 1 })).text).toBe('3')
    expect((await call('add', { a: 1 })).text).toBe('11')
  })

  test('may be arrays, JSON and variadic lists', async () => {
    expect((await call('arrays', { words: ['x', 'y,z'], extra: { k: '!' } })).body).toBe('y,z!')
    expect((await call('sum', { numbers: [1, 2, 3] })).body).toBe(6)
  })

  test('decide between overloads by the set of names', async () => {
    expect((await call('over', { a: 1 })).body).toBe('a')
    expect((await call('over', { a: 1, b: 1 })).body).toBe('ab')
    const { status, body } = await call('twice', { a: 1 })
    expect([status, body.code]).toEqual([300, 'ambiguous_function'])
    expect(body.error).toContain('a => integer')
  })

  test('are the whole body for a function with one unnamed JSON argument', async () => {
    expect((await call('whole', [1, 2])).body).toBe('array')
    expect((await call('whole', { any: 1 })).body).toBe('object')
    expect((await call('whole', '"text"')).body).toBe('string')
  })

  test('may come as a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await call('add', 'a=1&b=5', headers)).body).toBe(6)
  })

  test('of a wrong type are 400 with the type', async () => {
    const { status, body } = await call('add', { a: 'x' })
    expect([status, body.code]).toEqual([400, '22P02'])
    expect(body.hint).toContain('integer')
  })
})

describe('results', () => {
  test('a scalar is bare JSON, NULL is null, void is 204', async () => {
    const { status, headers, text } = await call('add', { a: 1 })
    expect([status, headers.get('content-range'), text]).toEqual([200, '0-0/*', '11'])
    expect((await call('null')).text).toBe('null')
    const nothing = await call('nothing')
    expect([nothing.status, nothing.text, nothing.headers.get('content-type')]).toEqual([204, '', null])
  })

  test('a set of scalars is an array of values', async () => {
    expect((await call('series', { n: 3 })).body).toEqual([1, 2, 3])
  })

  test('a row is an object, a set of rows an array, also for OUT arguments and TABLE', async () => {
    expect((await call('one', { wanted: 2 })).body).toEqual({ id: 2, name: 'row 2', hidden: 3 })
    expect((await call('list')).body).toHaveLength(5)
    expect((await call('table')).body).toEqual([
      { k: 1, v: 'a' },
      { k: 2, v: null },
    ])
    expect((await call('outs', { x: 3 })).body).toEqual({ double: 6, half: 1.5 })
  })

  test('rows can be filtered, chosen, ordered, paged and counted', async () => {
    const query = '?select=name&id=gt.1&order=id.desc&limit=2'
    const { status, body, headers } = await call('list', undefined, { prefer: 'count=exact' }, query)
    expect(body).toEqual([{ name: 'row 5' }, { name: 'row 4' }])
    expect([status, headers.get('content-range')]).toEqual([206, '0-1/4'])
  })

  test('come as CSV and as a single object too', async () => {
    expect((await call('table', undefined, { accept: 'text/csv' })).text).toBe('k,v\n1,a\n2,')
    const accept = 'application/vnd.pgrst.object+json'
    expect((await call('list', undefined, { accept }, '?id=eq.1&select=id')).body).toEqual({ id: 1 })
    expect((await call('list', undefined, { accept })).status).toBe(406)
  })
})

describe('what a call would ignore is refused', () => {
  test.each([
    ['add', '?on_conflict=a', { a: 1 }, 'invalid_parameter'],
    ['nothing', '?order=a', {}, '42703'],
    ['add', '?id=eq.1', { a: 1 }, '42703'],
    ['series', '?select=id', { n: 2 }, '42703'],
  ])('%s%s', async (name, query, body, code) => {
    const answer = await call(name, body, {}, query)
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  test('by GET the keys of a body too', async () => {
    const { status, body } = await db(`rpc/${t}_liar?columns=a`)
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  })
})

describe('functions of Postgres over the rows of a result', () => {
  test.each(['list', 'table', 'nothing'])('of %s are no columns', async name => {
    for (const [query, code] of [
      ['?select=json_agg', 'invalid_select'],
      ['?count=gt.0', 'invalid_filter'],
      ['?order=max', 'invalid_order'],
    ] as const) {
      const { status, body } = await call(name, {}, {}, query)
      expect([query, status, body.code]).toEqual([query, 400, code])
    }
  })

  test('columns with their names are columns', async () => {
    expect((await call('counted', {}, {}, '?select=count&max=gt.1')).body).toEqual([{ count: 1 }])
    expect((await call('tallied', {}, {}, '?select=count')).body).toEqual([{ count: 4 }])
  })
})

describe('what a call may do', () => {
  const count = async () => (await db(`${t}_rows?select=id`)).body.length

  test('a counted volatile function runs once', async () => {
    const { body, headers } = await call(
      'insert',
      { n: 2 },
      { prefer: 'count=exact' },
      '?select=id&order=id&limit=1',
    )
    expect([body, headers.get('content-range')]).toEqual([[{ id: 100 }], '0-0/2'])
    expect(await count()).toBe(7)
    await asOwner(`delete from ${t}_rows where id >= 100`)
  })

  test('max-affected and tx=rollback undo what it wrote', async () => {
    expect((await call('insert', { n: 3 }, { prefer: 'max-affected=2' })).body.code).toBe(
      'max_affected_exceeded',
    )
    expect((await call('insert', { n: 3 }, { prefer: 'tx=rollback' })).body).toHaveLength(3)
    expect(await count()).toBe(5)
    expect((await call('add', { a: 1 }, { prefer: 'max-affected=2' })).body.code).toBe('invalid_preference')
  })

  test('a STABLE function that writes is 405 with a hint', async () => {
    const { status, body } = await call('liar')
    expect([status, body.code]).toEqual([405, '25006'])
    expect(await count()).toBe(5)
  })

  test('what a function sets in its session is gone for the next call', async () => {
    await call('session')
    for (let i = 0; i < 5; i++) expect((await call('add', { a: 1 })).body).toBe(11)
  })

  test('a function may choose status, message, detail and hint', async () => {
    const { status, body } = await call('teapot')
    expect(status).toBe(418)
    expect(body).toMatchObject({ error: 'I am a teapot', detail: 'short', hint: 'stout' })
  })

  test('a function over its time is 504', async () => {
    const { status, body } = await call('slow')
    expect([status, body.code]).toEqual([504, '57014'])
  })
})

describe('a function that reads what its caller may not', () => {
  test('is told what the function lacks, and nothing about inserts', async () => {
    const { status, body } = await anon(`rpc/${t}_list`, { method: 'POST' })
    expect([status, body.code]).toEqual([401, '42501'])
    expect(body.hint).toContain(`${t}_rows`)
    expect(body.hint).toContain('SECURITY DEFINER')
    expect(body.hint).not.toMatch(/INSERT|return=minimal/)
  })
})

describe('functions that are not there', () => {
  test('are 404 function_not_found, with the near names', async () => {
    const { status, body } = await call('ad', { a: 1 })
    expect([status, body.code]).toEqual([404, 'function_not_found'])
    expect(body.hint).toContain(`public.${t}_add`)
  })

  test('wrong argument names list the right ones', async () => {
    const { status, body } = await call('add', { a: 1, c: 2 })
    expect([status, body.code]).toEqual([404, 'function_not_found'])
    expect(body.hint).toContain(`public.${t}_add(a => integer, b => integer)`)
  })

  test('are not named to a role that may not call them', async () => {
    const guess = (name: string) => anon(`rpc/${t}_${name}`, { method: 'POST', body: { guess: 1 } })
    for (const name of ['ad', 'add']) {
      const { status, body } = await guess(name)
      expect([status, body.code]).toEqual([404, 'function_not_found'])
      expect(body.hint).not.toMatch(/_add|integer/)
    }
    expect((await guess('serie')).body.hint).toContain(`${t}_series`)
  })

  // Postgres looks for columns before it looks for rights, and its hints name what they find.
  test('do not tell the columns of their rows to a role that may not call them', async () => {
    const asked = { method: 'POST', body: { wanted: 1 } }
    const query = `rpc/${t}_one?select=hiddn`
    expect((await db(query, asked)).body.hint).toContain('hidden')
    const { status, body } = await anon(query, asked)
    expect([status, `${body.hint}`]).toEqual([400, expect.not.stringContaining('hidden')])
  })

  test('a function made a moment ago is found at once, however many were looked for in vain', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'late']) expect((await call(`no_${name}`)).status).toBe(404)
    await asOwner(`create function ${t}_no_late() returns int language sql as 'select 1'`)
    expect((await call('no_late')).text).toBe('1')
    await asOwner(`create function ${t}_no_late(a int) returns int language sql as 'select a'`)
    expect((await call('no_late', { a: 2 })).text).toBe('2')
    await asOwner(`drop function ${t}_no_late()`)
    expect((await call('no_late')).status).toBe(404)
  })

  test('without the right to execute it is 401 for anon, and the hint is the grant', async () => {
    const { status, body } = await anon(`rpc/${t}_add`, { method: 'POST', body: { a: 1 } })
    expect([status, body.code]).toEqual([401, '42501'])
    expect(body.hint).toContain(`GRANT EXECUTE ON FUNCTION ${t}_add TO anon`)
  })
})

// What a function sets for the answer comes in a header of the gateway, with a bound of its own, behind COMMIT.
test('a function that sets more headers than an answer takes has written all the same, and that is said', async () => {
  await asOwner(`
    create function ${t}_boast(n int) returns setof ${t}_rows language plpgsql as $$ begin
      perform set_config('response.headers', '[{"X-Long": "' || repeat('x', 40000) || '"}]', true);
      return query insert into ${t}_rows values (n, 'boast') returning *; end $$;
    grant execute on function ${t}_boast(int) to service_role`)
  const { status, body } = await call('boast', { n: 900 })
  expect([status, body.code]).toEqual([400, 'response_too_large'])
  expect(body.error).toContain('was committed')
  expect((await db(`${t}_rows?id=eq.900`)).body).toHaveLength(1)
})
