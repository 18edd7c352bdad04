// Errors of /rest/v1 to the letter: clients of PostgREST 14 show and compare them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callDb, type DbCall } from './caller.ts'
import { makeRestKey, NONE, REST_URL, refusal, rest } from './rest-caller.ts'
import { children, dropTables, fillTables, items, makeTables, names } from './write-tables.ts'

beforeAll(async () => {
  await makeTables()
  await makeRestKey()
  // Names are told out of the remembered catalog, which may be older than the table: this reads it anew.
  await rest(items, { method: 'OPTIONS' })
})
beforeEach(fillTables)
afterAll(dropTables)

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
      'a relation that is not there',
      `${items}?select=id,${children.slice(0, -1)}(id)`,
      undefined,
      {
        status: 400,
        code: 'PGRST200',
        message:
          `Could not find a relationship between '${items}' and '${children.slice(0, -1)}' ` +
          'in the schema cache',
        details:
          `Searched for a foreign key relationship between '${items}' and '${children.slice(0, -1)}' ` +
          "in the schema 'public', but no matches were found.",
        hint: `Perhaps you meant '${children}' instead of '${children.slice(0, -1)}'.`,
      },
    ],
    [
      'a filter on what is not embedded',
      `${items}?select=id&${children}.id=eq.1`,
      undefined,
      {
        status: 400,
        code: 'PGRST108',
        message: `'${children}' is not an embedded resource in this request`,
        details: null,
        hint: `Verify that '${children}' is included in the 'select' query parameter.`,
      },
    ],
    [
      'an order by related rows',
      `${items}?select=id,x:${children}!${children}_item_id_fkey(id)&order=x(id)`,
      undefined,
      {
        status: 400,
        code: 'PGRST118',
        message: "A related order on 'x' is not possible",
        details: `'${items}' and 'x' do not form a many-to-one or one-to-one relationship`,
        hint: null,
      },
    ],
    [
      'another test of related rows than for null',
      `${items}?select=id,x:${children}!item_id(id)&x=eq.1`,
      undefined,
      {
        status: 400,
        code: 'PGRST120',
        message: "Bad operator on the 'x' embedded resource",
        details: 'Only is null or not is null filters are allowed on embedded resources',
        hint: null,
      },
    ],
    [
      'an aggregate in a spread of several rows',
      `${items}?select=id,...${children}!item_id(id.max())`,
      undefined,
      {
        status: 400,
        code: 'PGRST127',
        message: 'Feature not implemented',
        details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
        hint: null,
      },
    ],
    [
      'a relation of which there are two',
      `${children}?select=id,${items}(id)`,
      undefined,
      {
        status: 300,
        code: 'PGRST201',
        message: `Could not embed because more than one relationship was found for '${children}' and '${items}'`,
        details: ['item_id', 'other_id'].map(column => ({
          cardinality: 'many-to-one',
          embedding: `${children} with ${items}`,
          relationship: `${children}_${column}_fkey using ${children}(${column}) and ${items}(id)`,
        })),
        hint:
          `Try changing '${items}' to one of the following: '${items}!${children}_item_id_fkey', ` +
          `'${items}!${children}_other_id_fkey'. Find the desired relationship in the 'details' key.`,
      },
    ],
    [
      'more relations than a request embeds',
      `${items}?select=${Array(51).fill(`${children}(id)`).join()}`,
      undefined,
      { status: 400, code: 'PGRST100', message: expect.stringContaining('at most 50 relations'), ...NONE },
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

  test('what is asked for too often says so, and a hundred columns are not too many', async () => {
    const select = (count: number, item: string) =>
      `${items}?select=${Array.from({ length: count }, (_, i) => `a${i}:${item}`).join(',')}`
    for (const path of [select(40, `${children}!item_id(id)`), select(51, `${children}!item_id()`)])
      expect(await refusal(path)).toMatchObject({ status: 400, code: 'PGRST100' })
    const hundred = Array.from({ length: 100 }, (_, i) => `a${i}:data->k${i}`)
    expect((await rest(`${items}?select=${hundred}&limit=1`)).status).toBe(200)
  })

  test('a key that is none is refused in the same shape, and not told which check failed', async () => {
    const answer = await callDb(`${REST_URL}/${items}`, { apikey: 'svc_pk_nope' })
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
