// /rest/v1: what clients of PostgREST 14 read of status and headers, beyond what /v1/db answers.

import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { asOwner, callDb, type DbCall } from './caller.ts'
import { makeRestKey, NONE, REST_URL, refusal, rest } from './rest-caller.ts'
import { dropTables, fillTables, items, makeTables, names, t } from './write-tables.ts'

beforeAll(async () => {
  await makeTables()
  await asOwner(`
    create function ${t}_stable() returns int language sql stable as 'select 1';
    create function ${t}_volatile() returns int language sql as 'select 1';
    grant execute on function ${t}_stable, ${t}_volatile to service_role`)
  await makeRestKey()
})
beforeEach(fillTables)
afterAll(async () => {
  await asOwner(`drop function ${t}_stable, ${t}_volatile`)
  await dropTables()
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

  // PostGIS is not here: its function is played, as PostGIS 3.6 answers the same statement.
  test('GeoJSON is what ST_AsGeoJSON makes of each row', async () => {
    await asOwner(`create function st_asgeojson(record) returns text language plpgsql as $$ begin
      return json_build_object('type', 'Feature', 'geometry', null, 'properties', $1)::text; end $$;
      grant execute on function st_asgeojson(record) to service_role`)
    try {
      const { status, body, headers } = await accept('application/geo+json', `${items}?select=id&id=eq.1`)
      const features = [{ type: 'Feature', geometry: null, properties: { id: 1 } }]
      expect([status, body]).toEqual([200, { type: 'FeatureCollection', features }])
      expect(headers.get('content-type')).toBe('application/geo+json; charset=utf-8')
    } finally {
      await asOwner('drop function st_asgeojson(record)')
    }
  })

  test('HEAD is GET without the body', async () => {
    const call = { headers: { prefer: 'count=exact' } }
    const page = `${items}?limit=2`
    const [head, get] = [await rest(page, { ...call, method: 'HEAD' }), await rest(page, call)]
    expect([head.status, head.text]).toEqual([206, ''])
    for (const name of ['content-range', 'content-type', 'content-location', 'preference-applied'])
      expect(head.headers.get(name), name).toBe(get.headers.get(name))
    expect(head.headers.get('content-range')).toBe('0-1/3')
    // RFC 9110 section 14.2: a range is for GET alone.
    expect((await rest(items, { method: 'HEAD', headers: { range: '9-' } })).status).toBe(200)
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
    expect((await options('volatile')).headers.get('allow')).toBe('OPTIONS,POST')
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
    const call = () => callDb(`${REST_URL}/${items}`, { authorization: `Bearer ${bearer}` })
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
    const { status, headers } = await fetch(`${REST_URL}/${t}_items`, {
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
      expect(((await response.json()) as { error: string }).error).toContain('no edge functions')
    }
  })
})
