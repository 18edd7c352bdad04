// /rest/v1: what clients of PostgREST 14 read of status, headers and errors, beyond what /v1/db answers.

import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { asOwner, callDb, type DbCall } from './caller.ts'
import { dropTables, fillTables, items, makeTables, names, t } from './write-tables.ts'

const base = `${inject('stack').base_url}/rest/v1`
let key: string

beforeAll(async () => {
  await makeTables()
  await asOwner(
    `
    create function ${t}_raise(message text, detail text) returns void language plpgsql as $$ begin
      if detail is null then raise sqlstate 'PGRST' using message = message;
      else raise sqlstate 'PGRST' using message = message, detail = detail; end if; end $$;
    create function ${t}_answer(headers text, status text) returns text language sql as
      $$ select set_config('response.headers', headers, true) || set_config('response.status', status, true) $$;
    create function ${t}_fail(code text, said text) returns void language plpgsql as $$ begin
      raise sqlstate using errcode = code, message = said; end $$;
    create function ${t}_stable() returns int language sql stable as 'select 1';
    grant execute on function ${t}_raise, ${t}_answer, ${t}_fail, ${t}_stable to service_role;
  `.replace('raise sqlstate using errcode', 'raise exception using errcode'),
  )
  key = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
  // Names are told out of the remembered catalog, which may be older than the table: this reads it anew.
  await rest(items, { method: 'OPTIONS' })
})
beforeEach(fillTables)
afterAll(async () => {
  await asOwner(`drop function ${t}_raise, ${t}_answer, ${t}_fail, ${t}_stable`)
  await dropTables()
})

const rest = (path: string, call?: DbCall) => callDb(`${base}/${path}`, { apikey: key }, call)

async function refusal(path: string, call?: DbCall) {
  const { status, body, headers } = await rest(path, call)
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get('proxy-status')).toBe(`PostgREST; error=${body.code}`)
  return { status, ...body }
}

const NONE = { details: null, hint: null }

describe('errors', () => {
  test.each<[what: string, path: string, call: DbCall | undefined, expected: object]>([
    [
      'a filter without an operator',
      `${items}?id=0`,
      undefined,
      {
        status: 400,
        code: 'PGRST100',
        message: '"failed to parse filter (0)" (line 1, column 1)',
        details: 'unexpected "0" expecting "not" or operator (eq, gt, ...)',
        hint: null,
      },
    ],
    [
      'a table that is not there',
      `${items.slice(0, -1)}`,
      undefined,
      {
        status: 404,
        code: 'PGRST205',
        message: `Could not find the table 'public.${items.slice(0, -1)}' in the schema cache`,
        details: null,
        hint: `Perhaps you meant the table 'public.${items}'`,
      },
    ],
    [
      'a column that a row names and the table lacks',
      items,
      { method: 'POST', body: { qtty: 1 } },
      {
        status: 400,
        code: 'PGRST204',
        message: `Could not find the 'qtty' column of '${items}' in the schema cache`,
        ...NONE,
      },
    ],
    [
      'a column that a read names and the table lacks',
      `${items}?select=unheard_of`,
      undefined,
      { status: 400, code: '42703', message: `column ${items}.unheard_of does not exist`, ...NONE },
    ],
    [
      'several rows for one object',
      `${items}?id=lt.3`,
      { headers: { accept: 'application/vnd.pgrst.object+json' } },
      {
        status: 406,
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: 'The result contains 2 rows',
        hint: null,
      },
    ],
    [
      'an offset behind the end',
      `${items}?offset=9`,
      { headers: { prefer: 'count=exact' } },
      {
        status: 416,
        code: 'PGRST103',
        message: 'Requested range not satisfiable',
        details: 'An offset of 9 was requested, but there are only 3 rows.',
        hint: null,
      },
    ],
    [
      'a negative limit',
      `${items}?limit=-1`,
      undefined,
      {
        status: 416,
        code: 'PGRST103',
        message: 'Requested range not satisfiable',
        details: 'Limit should be greater than or equal to zero.',
        hint: null,
      },
    ],
    [
      'an update of every row',
      items,
      { method: 'PATCH', body: { qty: 0 } },
      { status: 400, code: '21000', message: 'UPDATE requires a WHERE clause', ...NONE },
    ],
    [
      'a delete of every row',
      items,
      { method: 'DELETE' },
      { status: 400, code: '21000', message: 'DELETE requires a WHERE clause', ...NONE },
    ],
    [
      'a schema that is not served',
      items,
      { headers: { 'accept-profile': 'nope' } },
      {
        status: 406,
        code: 'PGRST106',
        message: 'Invalid schema: nope',
        details: null,
        hint: 'Only the following schemas are exposed: public',
      },
    ],
    [
      'a media type that is not made',
      items,
      { headers: { accept: 'application/xml' } },
      {
        status: 406,
        code: 'PGRST107',
        message: 'None of these media types are available: application/xml',
        ...NONE,
      },
    ],
    [
      'strict preferences that nobody knows',
      items,
      { headers: { prefer: 'handling=strict, anything, foo=bar' } },
      {
        status: 400,
        code: 'PGRST122',
        message: 'Invalid preferences given with handling=strict',
        details: 'Invalid preferences: anything, foo=bar',
        hint: null,
      },
    ],
    [
      'more rows than max-affected',
      `${items}?id=gt.0`,
      { method: 'DELETE', headers: { prefer: 'handling=strict, max-affected=2' } },
      {
        status: 400,
        code: 'PGRST124',
        message: 'Query result exceeds max-affected preference constraint',
        details: 'The query affects 3 rows',
        hint: null,
      },
    ],
    [
      'a body that is no JSON',
      items,
      { method: 'POST', body: '{' },
      { status: 400, code: 'PGRST102', message: 'Empty or invalid json', ...NONE },
    ],
    [
      'rows with different keys',
      items,
      { method: 'POST', body: [{ name: 'a' }, { qty: 1 }] },
      { status: 400, code: 'PGRST102', message: 'All object keys must match', ...NONE },
    ],
    [
      'a row that is no object',
      items,
      { method: 'POST', body: [{ name: 'a' }, 123] },
      { status: 400, code: 'PGRST102', message: 'All object keys must match', ...NONE },
    ],
    [
      'lines of different length',
      items,
      { method: 'POST', body: 'name,qty\na,1\nb', headers: { 'content-type': 'text/csv' } },
      { status: 400, code: 'PGRST102', message: 'All lines must have same number of fields', ...NONE },
    ],
    [
      'a body of another type',
      items,
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
      { status: 400, code: 'PGRST102', message: 'Content-Type not acceptable: text/plain', ...NONE },
    ],
    [
      'a key that is taken',
      items,
      { method: 'POST', body: { name: 'one' } },
      {
        status: 409,
        code: '23505',
        message: `duplicate key value violates unique constraint "${items}_name_key"`,
        details: 'Key (name)=(one) already exists.',
        hint: null,
      },
    ],
    [
      'a deeper path',
      `${items}/1`,
      undefined,
      { status: 404, code: 'PGRST125', message: 'Invalid path specified in request URL', ...NONE },
    ],
    [
      'the root',
      '',
      undefined,
      { status: 404, code: 'PGRST126', message: 'Root endpoint metadata is disabled', ...NONE },
    ],
    [
      'another method',
      items,
      { method: 'QUERY' },
      { status: 405, code: 'PGRST117', message: 'Unsupported HTTP method: QUERY', ...NONE },
    ],
    [
      'another method on a function',
      'rpc/anything',
      { method: 'PATCH', body: {} },
      { status: 405, code: 'PGRST101', message: 'Cannot use the PATCH method on RPC', ...NONE },
    ],
  ])('%s', async (_, path, call, expected) => {
    expect(await refusal(path, call)).toEqual(expected)
    expect(await names()).toHaveLength(3)
  })

  test('a key that is none is refused in the same shape, and not told which check failed', async () => {
    const answer = await callDb(`${base}/${items}`, { apikey: 'svc_pk_nope' })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({
      code: 'invalid_api_key',
      message: 'The API key is not valid.',
      details: null,
      hint: expect.any(String),
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('HEAD has the headers of the error and no body', async () => {
    const { status, headers, text } = await rest(`${items}?id=0`, { method: 'HEAD' })
    expect([status, headers.get('proxy-status'), text]).toEqual([400, 'PostgREST; error=PGRST100', ''])
  })
})

describe('functions that choose the answer', () => {
  const raise = (message: string, detail: string | null) =>
    rest(`rpc/${t}_raise`, { method: 'POST', body: { message, detail } })
  const set = (headers: unknown, status = '') =>
    rest(`rpc/${t}_answer`, { method: 'POST', body: { headers: JSON.stringify(headers), status } })

  test("RAISE SQLSTATE 'PGRST' writes the whole error", async () => {
    const said = { code: '123', message: 'ABC', details: 'DEF', hint: 'XYZ' }
    const { status, headers, body } = await raise(
      JSON.stringify(said),
      JSON.stringify({ status: 332, headers: { 'X-Header': 'str' } }),
    )
    expect([status, headers.get('x-header'), headers.get('proxy-status')]).toEqual([
      332,
      'str',
      'PostgREST; error=123',
    ])
    expect(body).toMatchObject(said)
  })

  test.each([
    ['INVALID', '{}', "Invalid JSON value for MESSAGE: 'INVALID'", 'MESSAGE must be'],
    ['{"code":"1","message":"x"}', null, 'DETAIL is missing in the RAISE statement', 'DETAIL must be'],
    ['{"code":"1","message":"x"}', 'INVALID', "Invalid JSON value for DETAIL: 'INVALID'", 'DETAIL must be'],
    ['{"code":"1","message":"x"}', '{"status":200}', 'Invalid JSON value for DETAIL', 'DETAIL must be'],
    [
      '{"code":"1","message":"x"}',
      '{"status":204,"headers":{}}',
      'Invalid JSON value for DETAIL',
      'DETAIL must',
    ],
    [
      '{"code":"1","message":"x"}',
      '{"status":99,"headers":{}}',
      'Invalid JSON value for DETAIL',
      'DETAIL must',
    ],
    // Cookies of this origin, and what its pages may run, are nobody's to set but Quoin's.
    [
      '{"code":"1","message":"x"}',
      '{"status":400,"headers":{"Set-Cookie":"a=1"}}',
      'Invalid JSON value for DETAIL',
      'DETAIL must',
    ],
    [
      '{"code":"1","message":"<script>"}',
      '{"status":400,"headers":{"Content-Type":"text/html"}}',
      'Invalid JSON value for DETAIL',
      'DETAIL must',
    ],
  ])('%s with %s cannot be read', async (message, detail, details, hint) => {
    const { status, body, headers } = await raise(message, detail)
    expect([status, body.code, headers.get('set-cookie')]).toEqual([500, 'PGRST121', null])
    expect(body).toMatchObject({
      message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
      details: expect.stringContaining(details),
      hint: expect.stringContaining(hint),
    })
  })

  test('response.headers and response.status reach the answer', async () => {
    const { status, headers } = await set([{ 'X-A': '1' }, { 'Content-Type': 'text/html' }], '202')
    expect([status, headers.get('x-a')]).toEqual([202, '1'])
    // A page of a function's is shown as its source, since the origin is the dashboard's.
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain('sandbox')
  })

  test.each([
    ['a cookie', [{ 'Set-Cookie': 'a=1' }], '', 'PGRST111', 'response.headers guc must not set set-cookie'],
    [
      'headers that are no list',
      { a: 'b' },
      '',
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    ],
    ['a status of no answer', [], '199', 'PGRST112', 'response.status guc must be a valid status code'],
    ['a status beyond all', [], '600', 'PGRST112', 'response.status guc must be a valid status code'],
  ])('%s is refused', async (_, headers, status, code, message) => {
    const answer = await set(headers, status)
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([500, code, message])
  })

  test.each([
    ['P0001', 'own words', 400],
    ['PT402', 'own words', 402],
    ['40001', 'own words', 500],
    ['57014', 'own words', 500],
    ['53400', 'own words', 500],
    ['0L000', 'own words', 403],
    ['55P03', 'own words', 500],
    ['42883', 'function xmlagg(x) does not exist', 406],
    ['21000', 'own words', 500],
    ['21000', 'UPDATE requires a WHERE clause', 400],
  ])('SQLSTATE %s with "%s" is %i, and the words are those that were raised', async (code, said, status) => {
    const answer = await rest(`rpc/${t}_fail`, { method: 'POST', body: { code, said } })
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([status, code, said])
  })
})

describe('PUT', () => {
  const NO_KEY = [
    405,
    'PGRST105',
    "Filters must include all and only primary key columns with 'eq' operators",
  ] as const
  const one = { id: 1, name: 'one' }

  test.each<[what: string, query: string, body: object, status: number, code: string, message: string]>([
    ['another column', '?name=eq.one', one, ...NO_KEY],
    ['one column more than the key', '?id=eq.1&name=eq.one', one, ...NO_KEY],
    ['another operator', '?id=in.(1)', one, ...NO_KEY],
    ['a filter that is negated', '?id=not.eq.1', one, ...NO_KEY],
    ['a tree', '?or=(id.eq.1)', one, ...NO_KEY],
    ['no filter', '', one, ...NO_KEY],
    [
      'a limit',
      '?id=eq.1&limit=1',
      one,
      400,
      'PGRST114',
      'limit/offset querystring parameters are not allowed for PUT',
    ],
    [
      'a body of another row',
      '?id=eq.1',
      { id: 2, name: 'one' },
      400,
      'PGRST115',
      'Payload values do not match URL in primary key column(s)',
    ],
    [
      'a body without the key',
      '?id=eq.1',
      { name: 'other' },
      400,
      'PGRST115',
      'Payload values do not match URL in primary key column(s)',
    ],
  ])('%s is refused', async (_, query, body, status, code, message) => {
    expect(await refusal(`${items}${query}`, { method: 'PUT', body })).toEqual({
      status,
      code,
      message,
      ...NONE,
    })
    expect((await names()).map(({ name }: { name: string }) => name)).toEqual(['one', 'two', 'three'])
  })

  test('a table without a key takes none', async () => {
    const refused = await refusal(`${t}_nokey?v=eq.1`, { method: 'PUT', body: { v: 1 } })
    expect(refused).toMatchObject({ status: 405, code: 'PGRST105' })
  })

  test('answers nothing unless it is asked to, and the same again changes nothing more', async () => {
    const put = () => rest(`${items}?id=eq.9`, { method: 'PUT', body: { id: 9, name: 'nine', qty: 1 } })
    expect(await put()).toMatchObject({ status: 204, text: '' })
    expect(await put()).toMatchObject({ status: 204, text: '' })
    expect(await names()).toHaveLength(4)
  })
})

describe('forms of an answer', () => {
  const accept = (type: string, path = `${items}?select=id,data&id=eq.1`, call: DbCall = {}) =>
    rest(path, { ...call, headers: { accept: type } })

  test('nulls are left out when asked', async () => {
    const list = await accept('application/vnd.pgrst.array+json;nulls=stripped')
    expect([list.text, list.headers.get('content-type')]).toEqual([
      '[{"id":1}]',
      'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8',
    ])
    const one = await accept('application/vnd.pgrst.object+json;nulls=stripped')
    expect([one.text, one.headers.get('content-type')]).toEqual([
      '{"id":1}',
      'application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8',
    ])
  })

  test('CSV of several rows', async () => {
    const { text, headers } = await accept('text/csv', `${items}?select=id,name&order=id`)
    expect([text, headers.get('content-type')]).toEqual([
      'id,name\n1,one\n2,two\n3,three',
      'text/csv; charset=utf-8',
    ])
  })

  test("GeoJSON without PostGIS is the database's error", async () => {
    const { status, body } = await accept('application/geo+json')
    expect([status, body.code]).toEqual([404, '42883'])
  })

  test('a plan is not told unless the deployment says so', async () => {
    expect(await accept('application/vnd.pgrst.plan+json')).toMatchObject({
      status: 406,
      body: { code: 'PGRST107' },
    })
  })

  test('HEAD is GET without the body', async () => {
    const call = { headers: { prefer: 'count=exact', range: '0-1' } }
    const [head, get] = [await rest(items, { ...call, method: 'HEAD' }), await rest(items, call)]
    expect([head.status, head.text]).toEqual([206, ''])
    for (const name of ['content-range', 'content-type', 'content-location', 'preference-applied'])
      expect(head.headers.get(name), name).toBe(get.headers.get(name))
    expect(head.headers.get('content-range')).toBe('0-1/3')
  })

  test('Content-Location is the request, its parameters by name', async () => {
    const { headers } = await rest(`${items}?select=id,"name"&limit=2&id=gt.0&id=lt.9`)
    expect(headers.get('content-location')).toBe(`/${items}?id=gt.0,lt.9&limit=2&select=id%2C%22name%22`)
    expect((await rest(items)).headers.get('content-location')).toBe(`/${items}`)
  })

  test('Location is that of one new row, and nothing else comes back', async () => {
    const { status, text, headers } = await rest(items, {
      method: 'POST',
      body: { name: 'x' },
      headers: { prefer: 'return=headers-only' },
    })
    expect([status, text, headers.get('location')]).toEqual([201, '', `/${items}?id=eq.4`])
  })

  test('a negative offset is none', async () => {
    const { status, headers } = await rest(`${items}?offset=-4`)
    expect([status, headers.get('content-range')]).toEqual([200, '0-2/*'])
  })

  test('OPTIONS says how a function is called: what may write by POST alone', async () => {
    const options = (name: string) => rest(`rpc/${t}_${name}`, { method: 'OPTIONS' })
    expect((await options('answer')).headers.get('allow')).toBe('OPTIONS,POST')
    expect((await options('stable')).headers.get('allow')).toBe('OPTIONS,GET,HEAD,POST')
    expect(await refusal(`rpc/${t}_none`, { method: 'OPTIONS' })).toMatchObject({
      status: 404,
      code: 'PGRST202',
    })
  })

  test('OPTIONS says what a table takes', async () => {
    const { status, headers } = await rest(items, { method: 'OPTIONS' })
    expect([status, headers.get('allow'), headers.get('access-control-allow-origin')]).toEqual([
      200,
      'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE',
      '*',
    ])
    expect(await refusal(items.slice(0, -1), { method: 'OPTIONS' })).toMatchObject({
      status: 404,
      code: 'PGRST205',
    })
  })
})

describe('defaults', () => {
  test('a write answers nothing unless it is asked to', async () => {
    const inserted = await rest(items, { method: 'POST', body: { name: 'four' } })
    expect([inserted.status, inserted.text, inserted.headers.get('content-type')]).toEqual([201, '', null])
    const changed = await rest(`${items}?id=eq.1`, { method: 'PATCH', body: { qty: 9 } })
    expect([changed.status, changed.text, changed.headers.get('content-range')]).toEqual([204, '', '0-0/*'])
    const removed = await rest(`${items}?id=eq.1`, { method: 'DELETE', headers: { prefer: 'count=exact' } })
    expect([removed.status, removed.text, removed.headers.get('content-range')]).toEqual([204, '', '*/1'])
  })

  test('the key alone as a bearer lets in, and each call counts once', async () => {
    const { key: bearer } = await makeKey('service_role', { rateLimitPerMinute: 5 })
    const call = () => callDb(`${base}/${items}`, { authorization: `Bearer ${bearer}` })
    expect((await call()).headers.get('x-ratelimit-remaining')).toBe('4')
    const second = await call()
    expect([second.status, second.headers.get('x-ratelimit-remaining')]).toEqual([200, '3'])
  })

  test('an insert and a PUT have no use for max-affected, and say nothing of it', async () => {
    const headers = { prefer: 'handling=strict, max-affected=0' }
    const rows = [{ name: 'a' }, { name: 'b' }]
    const inserted = await rest(items, { method: 'POST', body: rows, headers })
    const put = await rest(`${items}?id=eq.1`, { method: 'PUT', body: { id: 1, name: 'c' }, headers })
    expect([inserted.status, put.status]).toEqual([201, 204])
    expect(inserted.headers.get('preference-applied')).toBe('handling=strict')
  })

  test('profiles may name the default schema', async () => {
    const read = await rest(items, { headers: { 'accept-profile': 'public' } })
    const written = await rest(items, {
      method: 'POST',
      body: { name: 'x' },
      headers: { 'content-profile': 'public' },
    })
    expect([read.status, written.status]).toEqual([200, 201])
  })
})

describe('browsers', () => {
  test('a preflight allows whatever headers it asks for', async () => {
    const { status, headers } = await fetch(`${base}/${t}_items`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'x-anything,prefer',
      },
    })
    expect([status, headers.get('access-control-allow-headers')]).toEqual([204, 'x-anything,prefer'])
    expect(headers.get('access-control-allow-methods')).toContain('PUT')
  })

  test('an answer exposes what clients read of it', async () => {
    const { headers } = await rest(items)
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
    expect(exposed).toEqual(
      expect.arrayContaining([
        'content-range',
        'content-location',
        'location',
        'preference-applied',
        'retry-after',
      ]),
    )
  })

  test('edge functions are said not to be there, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(`${inject('stack').base_url}/functions/v1/hello`, { method })
      expect(response.status).toBe(404)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(((await response.json()) as { hint: string }).hint).toContain('no edge functions')
    }
  })
})
