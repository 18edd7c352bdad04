// GET /v1/db/:table beyond what PostgREST has too: who sees what, the bounds of the specification, and bad input.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROW_FUNCTIONS, ROW_FUNCTIONS_SQL } from '../../../src/features/data-api/grammar/row-functions.ts'
import { connectOwner } from '../../support/postgres.ts'
import { asOwner, type DbCaller, freshPrefix, makeDbCaller } from './caller.ts'

const t = freshPrefix()
const rows = `${t}_rows`
let service: DbCaller
let anon: DbCaller

beforeAll(async () => {
  await asOwner(`
    create table ${rows} (id int primary key, name text, t text, tenant text, data jsonb, secret text);
    insert into ${rows} select i, 'name ' || i, 't' || i, case when i % 2 = 0 then 'even' else 'odd' end, '{}', 's'
      from generate_series(1, 1500) i;
    alter table ${rows} enable row level security;
    grant select (id, name, t, tenant, data), insert on ${rows} to anon;
    create policy tenant_rows on ${rows} for select to anon
      using (tenant = current_setting('request.headers', true)::json->>'x-tenant');
    create table ${t}_closed (id int primary key);
    create table ${t}_partly (id int primary key, secret text);
    grant select (id) on ${t}_partly to anon;
    create table ${t}_open (id int primary key, name text);
    alter table ${t}_open enable row level security;
    grant insert on ${t}_open to anon;
    create policy even_only on ${t}_open for insert to anon with check (id % 2 = 0);
    create view ${t}_seen as select current_setting('request.jwt.claims', true)::json as claims,
      current_setting('request.headers', true)::json as headers, current_setting('request.method', true) as method,
      current_setting('request.path', true) as path, current_user::text as role;
    grant select on ${t}_seen to anon;
    create view ${t}_slow as select pg_sleep(30)::text as slept;
    create table ${t}_tally (id int primary key, count int, max int, "Ä" int);
    insert into ${t}_tally values (1, 7, 9), (2, 8, 3);
    create function ${t}_twice(${t}_tally) returns int language sql immutable as 'select $1.count * 2';
    grant select (id, count) on ${t}_tally to anon;
    create view ${t}_big as select i as id from generate_series(1, 20000) i;
  `)
  service = await makeDbCaller()
  anon = await makeDbCaller('anon')
})

afterAll(() =>
  asOwner(
    `drop function ${t}_twice; drop table ${t}_tally; drop view ${t}_seen, ${t}_slow, ${t}_big; ` +
      `drop table ${rows}, ${t}_closed, ${t}_partly, ${t}_open`,
  ),
)

describe('who sees what', () => {
  test('row-level security decides for anon, service_role sees all', async () => {
    const query = `${rows}?select=id&id=lte.4&order=id`
    expect((await anon(query)).body).toEqual([])
    expect((await anon(query, { headers: { 'x-tenant': 'even' } })).body).toEqual([{ id: 2 }, { id: 4 }])
    expect((await service(query)).body).toHaveLength(4)
  })

  test('one statement of one text serves both roles with the right of each', async () => {
    const query = `${rows}?select=id&id=eq.2`
    for (let i = 0; i < 3; i++) {
      expect((await service(query)).body).toEqual([{ id: 2 }])
      expect((await anon(query)).body).toEqual([])
    }
  })

  test('a column that is not granted is 401 for anon, with a hint', async () => {
    const { status, body, headers } = await anon(`${rows}?select=secret`)
    expect([status, body.code]).toEqual([401, '42501'])
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect(body.hint).toContain(`public.${rows} TO anon`)
    expect(body.hint).toContain(`GRANT SELECT (<columns>) ON public.${rows}`)
    expect((await anon(`${t}_closed`)).body.hint).toContain('GRANT SELECT')
  })

  test('an insert that no policy allows says so, and one that cannot be read back says how', async () => {
    const insert = (id: number, headers = {}) => anon(`${t}_open`, { method: 'POST', body: { id }, headers })
    const refused = await insert(1, { prefer: 'return=minimal' })
    expect([refused.status, refused.body.code]).toEqual([401, '42501'])
    expect(refused.body.hint).toContain(`"${t}_open" lets anon`)
    const unread = await insert(2)
    expect([unread.status, unread.body.hint]).toEqual([401, expect.stringContaining('return=minimal')])
    expect((await insert(2, { prefer: 'return=minimal' })).status).toBe(201)
  })

  test('policies read claims, method, path and headers, but no credentials', async () => {
    const headers = { 'x-one': 'Zwei', cookie: 'a=b' }
    const { body } = await anon(`${t}_seen?select=*`, { headers })
    expect(body[0]).toMatchObject({
      claims: { role: 'anon' },
      method: 'GET',
      path: `/v1/db/${t}_seen`,
      role: 'anon',
    })
    expect(body[0].headers['x-one']).toBe('Zwei')
    for (const name of ['apikey', 'authorization', 'cookie']) expect(body[0].headers).not.toHaveProperty(name)
  })
})

describe('bounds', () => {
  test('1000 rows unless said, 10000 at most', async () => {
    expect((await service(`${t}_big`)).body).toHaveLength(1000)
    const most = await service(`${t}_big?limit=10000`)
    expect([most.body.length, most.headers.get('content-range')]).toEqual([10_000, '0-9999/*'])
  })

  test('no name of Postgres folds all rows into one: functions over the row are no columns', async () => {
    await using owner = await connectOwner()
    const { rows: found } = await owner.query<{ name: string }>(ROW_FUNCTIONS_SQL)
    expect(found.map(({ name }) => name)).toEqual([...ROW_FUNCTIONS])
    // The name of an aggregate without a field counts rows.
    for (const name of [...ROW_FUNCTIONS].filter(each => each !== 'count')) {
      const { status, body } = await service(`${t}_big?select=${name}`)
      expect([name, status, body.code]).toEqual([name, 400, 'invalid_select'])
    }
  })

  test.each([
    ['select=id,x:json_agg->0', 'invalid_select', 'json_agg'],
    ['pg_restore_relation_stats=is.true', 'invalid_filter', 'pg_restore_relation_stats'],
    ['or=(id.eq.1,not.and(count.gt.2,id.gt.1))', 'invalid_filter', 'count'],
    ['order=id,row_to_json.desc', 'invalid_order', 'row_to_json'],
  ])('%s is 400 %s that names the column', async (query, code, name) => {
    const { status, body } = await service(`${t}_big?${query}`)
    expect([status, body.code, body.error]).toEqual([400, code, `"${t}_big" has no column "${name}".`])
    expect(body.hint).toContain('Aggregates')
  })

  test('a column that is called as such a function is a column, and users have computed fields', async () => {
    const query = `${t}_tally?select=count,max,twice:${t}_twice&max=gt.1&order=count.desc`
    expect((await service(query)).body).toEqual([
      { count: 8, max: 3, twice: 16 },
      { count: 7, max: 9, twice: 14 },
    ])
    expect((await anon(`${t}_tally?select=count&order=count`)).body).toEqual([{ count: 7 }, { count: 8 }])
    expect((await anon(`${t}_tally?select=max`)).body.code).toBe('42501')
  })

  test('writes and calls refuse them in what comes back', async () => {
    const changes: [string, string][] = [
      ['POST', `${t}_closed?select=json_agg`],
      ['PATCH', `${t}_closed?select=id&hash_record=gt.0`],
      ['DELETE', `${t}_closed?id=eq.1&select=max`],
    ]
    for (const [method, path] of changes) {
      const { status, body } = await service(path, {
        method,
        ...(method === 'DELETE' ? {} : { body: { id: 1 } }),
      })
      expect([method, status, body.code]).toEqual([method, 400, expect.stringMatching(/^invalid_/)])
    }
    expect((await service(`${t}_closed?select=id`)).body).toEqual([])
  })

  test.each(['abc', '-1', '10001', '1.5', '1e3', ' ', '0x10', '99999999999999999999'])(
    'limit=%s is 400 invalid_parameter and says the bounds',
    async limit => {
      const { status, body } = await service(`${rows}?limit=${limit}`)
      expect([status, body.code]).toEqual([400, 'invalid_parameter'])
      expect(body.error).toBe('"limit" must be a whole number from 0 to 10000.')
    },
  )

  test.each(['x', '-1', '1.5'])('offset=%s is 400 invalid_parameter', async offset => {
    const { status, body } = await service(`${rows}?offset=${offset}`)
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  })

  test('a statement over its time is 504', async () => {
    const { status, body } = await service(`${t}_slow`)
    expect([status, body.code]).toEqual([504, '57014'])
    expect(body.hint).toContain('index')
  })

  test('trees, lists and conditions are bounded', async () => {
    const deep = `or=${'(and'.repeat(11)}(id.eq.1)${')'.repeat(11)}`
    const many = Array.from({ length: 201 }, (_, i) => `id=neq.${i}`).join('&')
    for (const query of [deep, many]) {
      const { status, body } = await service(`${rows}?${query}`)
      expect([status, body.code]).toEqual([400, 'invalid_filter'])
    }
    expect(
      (await service(`${rows}?id=in.(${Array.from({ length: 1000 }, (_, i) => i)})&select=id`)).body,
    ).toHaveLength(999)
  })

  test('a body just under 10 MiB is taken', async () => {
    const name = 'x'.repeat(1000)
    const body = JSON.stringify(Array.from({ length: 10_200 }, (_, i) => ({ id: 10_000 + i, name })))
    const headers = { prefer: 'return=minimal, count=exact, tx=rollback' }
    const answer = await service(rows, { method: 'POST', body, headers })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([201, '*/10200'])
  })

  test('a body over 10 MiB is 413', async () => {
    const body = JSON.stringify([{ id: 1, name: 'x'.repeat(10 * 1024 * 1024) }])
    expect((await service(rows, { method: 'POST', body })).status).toBe(413)
  })
})

describe('bad input', () => {
  const secretStays = async () => expect((await service(`${rows}?select=id&limit=1`)).status).toBe(200)

  test.each([
    ['an unknown table', `${t}_rowz`, 404, '42P01'],
    ['an unknown column in a filter', `${rows}?nme=eq.x`, 400, '42703'],
    ['an unknown column in select', `${rows}?select=nme`, 400, '42703'],
  ])('%s is answered with the nearest name', async (_, path, expectedStatus, code) => {
    const { status, body } = await service(path)
    expect([status, body.code]).toEqual([expectedStatus, code])
    expect(body.hint).toMatch(/name|_rows/)
  })

  test.each([
    ['id=equals.1', '"eq"'],
    ['id=5', 'Perhaps you meant id=eq.5. The operators are'],
    ['id=null', 'Perhaps you meant id=is.null.'],
    ['id=not.5', 'Perhaps you meant id=not.eq.5.'],
    ['id=eqq.1', '"eq"'],
    ['id=.1', 'The operators are'],
  ])('%s is 400 invalid_filter and names the operators', async (query, hint) => {
    const { status, body } = await service(`${rows}?${query}`)
    expect([status, body.code]).toEqual([400, 'invalid_filter'])
    expect(body.hint).toContain(hint)
  })

  // Anon keys are public: whoever holds one must not read the schema out of the hints.
  test('no hint names a table or column to a role without a right to it', async () => {
    const guesses = [`${t}_closed?nope=eq.1`, `${t}_closed?idd=eq.1`, `${t}_close`, `${t}_partly?secre=eq.1`]
    const named = /_closed"|has the columns|_closed\.id|"secret"|\.secret"|, secret/
    for (const guess of guesses) {
      const told = await service(guess)
      expect([400, 404]).toContain(told.status)
      expect(told.body.hint).toMatch(named)
      const kept = await anon(guess)
      expect(kept.status).toBe(told.status)
      expect(`${kept.body.hint} ${kept.body.detail}`).not.toMatch(/_closed"|_closed\.id|secret/)
    }
    // What is granted it is told, also where only columns are.
    expect((await anon(`${t}_partly?idd=eq.1`)).body.hint).toContain(`${t}_partly.id"`)
    expect((await anon(`${t}_rowz`)).body.hint).toContain(rows)
  })

  // Each would end its literal, list or name if values or names were pasted into SQL text.
  test.each([
    `name=eq.x' or '1'='1`,
    `name=eq.'; drop table ${rows}; --`,
    `name=in.("x'); drop table ${rows}; --")`,
    `name=in.("a","\\"} or true --")`,
    `name=like.*'||(select secret from ${rows} limit 1)||'*`,
    `or=(name.eq."x) or (1=1",name.eq."y')")`,
    'name=eq.$1',
    'name=eq.{}',
  ])('a value is only ever a value: %s', async query => {
    const { status, body } = await service(`${rows}?${encodeQuery(query)}`)
    expect([status, body]).toEqual([200, []])
    await secretStays()
  })

  test.each([
    `id=in.(1);drop table ${rows}`,
    'id=in.(1,2',
    'id=in.(1,2))',
    'id=in.1,2',
    'or=(id.eq.1),(id.eq.2)',
    // PostgREST 12 reads on past it.
    'and=(id.eq.1,id.neq.2))',
    'or=(id.eq.1 or id.eq.2',
    'select=id;drop table x',
    `select=id from ${rows}--`,
    'select=secret"',
    'select=count(id)',
    'select=id.sum(1)',
    'select=other(*',
    'select=x:...other(*)',
    'select=id::text)',
    // Postgres has the type and no cast to it: an internal error (XX000), which was 500.
    'select=name::unknown',
    'select=name:: Unknown ',
    'order=id;select 1',
    'order=id.asc.desc',
    'order=(select 1)',
    'limit=1&limit=2',
    'other.id=eq.1',
  ])('what the grammar does not allow is 400 before the database: %s', async query => {
    const { status, body } = await service(`${rows}?${encodeQuery(query)}`)
    expect(status).toBe(400)
    expect(body.code).toMatch(/^invalid_(filter|select|order|parameter)$/)
    await secretStays()
  })

  test.each([
    ['a quoted name that ends its quotes', 'select="id\\" from x--"', 400, '42703'],
    ['a cast to no type', 'select=id::text or true', 400, '42704'],
    ['a JSON key with quotes', `select=data->"a'b\\"c"`, 200, undefined],
  ])('a name is only ever a name: %s', async (_, query, expectedStatus, code) => {
    const { status, body } = await service(`${rows}?limit=1&${encodeQuery(query)}`)
    expect([status, body.code]).toEqual([expectedStatus, code])
  })

  test.each([
    'name=eq.%00',
    'na%00me=eq.x',
    'name=in.(a,%00)',
    'select=id%00',
    'name=eq.%ED%A0%80',
    'name=eq.%FF',
    'name=eq.%E0%A4%A',
  ])('%s is 400: no NUL, no half of a surrogate, no broken encoding', async query => {
    const { status, body } = await service(`${rows}?${query}`)
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  })

  test('a name in the path is refused when no name in Postgres could be it', async () => {
    for (const name of ['a%00b', 'x'.repeat(64)]) {
      const { status, body } = await service(name)
      expect([status, body.code]).toEqual([400, 'invalid_parameter'])
    }
  })

  test('a name in the path that no table has is 404, broken encoding is the name of none', async () => {
    const unknown = await service(encodeURIComponent('no"such; table'))
    expect([unknown.status, unknown.body.code]).toEqual([404, '42P01'])
    const broken = await service('%ED%A0%80')
    expect([broken.status, broken.body.code]).toEqual([400, 'invalid_parameter'])
  })

  test.each([
    ['{"id": 1', 'invalid_body'],
    ['', 'invalid_body'],
    ['[1,2]', 'invalid_body'],
    ['"text"', 'invalid_body'],
    ['null', 'invalid_body'],
    ['[{"id":1},{"name":"x"}]', 'invalid_body'],
    ['{"id":1,"name":"a\\u0000b"}', 'invalid_body'],
    ['{"id":1,"name":"\\ud800"}', 'invalid_body'],
    ['{"id":1,"na\\u0000me":"x"}', 'invalid_body'],
    ['{"id":1,"":"x"}', 'invalid_body'],
  ])('the body %s is 400 and nothing is written', async (body, code) => {
    const answer = await service(rows, { method: 'POST', body })
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  test('a body of another type is 415, an answer of another type 406', async () => {
    const body = '<a/>'
    const sent = await service(rows, { method: 'POST', body, headers: { 'content-type': 'application/xml' } })
    expect([sent.status, sent.body.code]).toEqual([415, 'unsupported_media_type'])
    const asked = await service(rows, { headers: { accept: 'application/xml' } })
    expect([asked.status, asked.body.code]).toEqual([406, 'not_acceptable'])
  })

  test('a schema that is not exposed is 406, whatever it is', async () => {
    for (const schema of ['quoin', 'pg_catalog', 'nope']) {
      const { status, body } = await service('api_keys', { headers: { 'accept-profile': schema } })
      expect([status, body.code]).toEqual([406, 'schema_not_exposed'])
    }
  })

  test('columns named like tables, aliases of ours or keywords are columns', async () => {
    await asOwner(
      `create table "${t}_q" ("${t}_q" int, "t" int, "q" int, "r" int, "quoin_row" int, "select" int, "a""b" int)`,
    )
    const row = { [`${t}_q`]: 1, t: 2, q: 3, r: 4, quoin_row: 5, select: 6, 'a"b': 7 }
    expect((await service(`${t}_q`, { method: 'POST', body: row })).body).toEqual([row])
    expect((await service(`${t}_q?t=eq.2&r=eq.4&q=eq.3`)).body).toEqual([row])
    expect((await service(`${t}_q?select=t,q,"a\\"b"`)).body).toEqual([{ t: 2, q: 3, 'a"b': 7 }])
    expect(
      (await service(`${t}_q?t=eq.2`, { method: 'PATCH', body: { r: 9, quoin_row: 8 } })).body[0],
    ).toMatchObject({ r: 9 })
    await asOwner(`drop table "${t}_q"`)
  })
})

test('HEAD answers like GET, without the body', async () => {
  const { status, text, headers } = await service(`${rows}?limit=2`, {
    method: 'HEAD',
    headers: { prefer: 'count=exact' },
  })
  expect([status, text, headers.get('content-range')]).toEqual([206, '', '0-1/1500'])
})

test('a table made or changed a moment ago is served as it is now', async () => {
  const late = `${t}_late`
  expect((await service(late)).status).toBe(404)
  await asOwner(`create table ${late} (id int primary key, data int[])`)
  expect((await service(`${late}?data->0=eq.1`)).body).toEqual([])
  await asOwner(
    `alter table ${late} alter column data type jsonb using to_jsonb(data); insert into ${late} values (1, '[1]')`,
  )
  expect((await service(`${late}?data->0=eq.1`)).body).toEqual([{ id: 1, data: [1] }])
  await asOwner(`drop table ${late}`)
})

/** As a browser sends it: only what would end the query string is encoded. */
function encodeQuery(query: string): string {
  return query.replace(/[#%+ ]/g, encodeURIComponent)
}
