// What functions of the user may choose of an answer on /rest/v1, and what they may not.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, freshPrefix } from './caller.ts'
import { makeRestKey, rest } from './rest-caller.ts'

const t = freshPrefix()

beforeAll(async () => {
  await asOwner(`
    create function ${t}_raise(message text, detail text) returns void language plpgsql as $$ begin
      if detail is null then raise sqlstate 'PGRST' using message = message;
      else raise sqlstate 'PGRST' using message = message, detail = detail; end if; end $$;
    create function ${t}_answer(headers text, status text) returns text language sql as
      $$ select set_config('response.headers', headers, true) || set_config('response.status', status, true) $$;
    create function ${t}_fail(code text, said text) returns void language plpgsql as $$ begin
      raise exception using errcode = code, message = said; end $$;
    grant execute on function ${t}_raise, ${t}_answer, ${t}_fail to service_role`)
  await makeRestKey()
})
afterAll(() => asOwner(`drop function ${t}_raise, ${t}_answer, ${t}_fail`))

const NO_PAIRS =
  'response.headers guc must be a JSON array composed of objects with a single key and a string value'

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

  test.each<[what: string, headers: object, status: string, code: string, message: string]>([
    ['a cookie', [{ 'Set-Cookie': 'a=1' }], '', 'PGRST111', 'response.headers guc must not set set-cookie'],
    ['headers that are no list', { a: 'b' }, '', 'PGRST111', NO_PAIRS],
    [
      'who is signed in',
      [{ 'Set-Login': 'logged-in' }],
      '',
      'PGRST111',
      'response.headers guc must not set set-login',
    ],
    ['a header without a name', [{ '': 'x' }], '', 'PGRST111', NO_PAIRS],
    ['a list in the place of an object', [['a']], '', 'PGRST111', NO_PAIRS],
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
