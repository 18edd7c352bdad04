// Bodies that cost far more than their bytes: CSV and JSON of millions of small things stopped the Worker for a minute
// and took gigabytes. Each is refused or done, and the Worker answers the next request.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asOwner, freshPrefix, makeDbCaller } from '../contract/data-api/caller.ts'
import { makeSqlCaller } from '../contract/sql/caller.ts'

const PREFIX = freshPrefix()
const TABLE = `${PREFIX}_bodies`
const TAKE = `${PREFIX}_take`
const MEBIBYTE = 1024 * 1024
const anon = await makeDbCaller('anon')
const service = await makeDbCaller('service_role')
const CSV = { 'content-type': 'text/csv', prefer: 'return=minimal,count=exact' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded', prefer: 'return=minimal' }
const JSON_TYPE = { prefer: 'return=minimal,count=exact' }

beforeAll(() =>
  asOwner(`
    create unlogged table public.${TABLE} (title text, note text, "u" text);
    grant insert, select on public.${TABLE} to anon;
    create function public.${TAKE}(json) returns int language sql as 'select 1';
    grant execute on function public.${TAKE}(json) to anon`),
)
afterAll(() => asOwner(`drop table if exists public.${TABLE}; drop function if exists public.${TAKE}(json)`))

afterEach(async () => {
  expect((await anon(`${TABLE}?limit=1&select=title`)).status).toBe(200)
})

const post = (call: typeof anon, body: string, headers: Record<string, string>, path = TABLE) =>
  call(path, { method: 'POST', body, headers })
/** `head`, as many `unit` as fit into `bytes`, `tail`. */
const filled = (head: string, unit: string, bytes: number, tail = '') =>
  head + unit.repeat(Math.floor((bytes - head.length - tail.length) / Buffer.byteLength(unit))) + tail
const errorOf = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code]

describe('an anon key', () => {
  // The attacks: 57 s, 20 s and 3 s for one request each, and 2 000 MiB.
  it.each([
    ['line breaks of CSV', `t\n${'\n'.repeat(10_000_000)}`, CSV],
    ['short lines of CSV', `title\n${'1\n'.repeat(5_000_000)}`, CSV],
    ['empty objects', `[{}${',{}'.repeat(3_300_000)}]`, JSON_TYPE],
  ])('sends at most 1 MiB: ten megabytes of %s are refused', async (_, body, headers) => {
    expect(errorOf(await post(anon, body, headers))).toEqual([413, 'payload_too_large'])
  })

  it('is bounded on every route that reads a body, and by what arrives where no length was said', async () => {
    const body = `{"title":"${'x'.repeat(MEBIBYTE)}"}`
    for (const path of [TABLE, `rpc/${TAKE}`])
      expect(errorOf(await post(anon, body, JSON_TYPE, path))).toEqual([413, 'payload_too_large'])
    const patched = await anon(`${TABLE}?title=eq.x`, { method: 'PATCH', body })
    expect(errorOf(patched)).toEqual([413, 'payload_too_large'])
  })

  it.each([
    ['line breaks of CSV', filled('title\n', '\n', 500_000), CSV],
    ['empty objects', filled('[{}', ',{}', 900_000, ']'), JSON_TYPE],
    [
      'keys in another order',
      filled('[{"title":1,"note":1}', ',{"note":1,"title":1}', 500_000, ']'),
      JSON_TYPE,
    ],
    ['keys spelt otherwise', filled('[{"title":1}', ',{"titl\\u0065":1}', 500_000, ']'), JSON_TYPE],
    ['one key again and again', filled('{"title":1', ',"title":1', 900_000, '}'), JSON_TYPE],
  ])('may send many rows of nearly nothing within it: %s', async (_, body, headers) => {
    const { status } = await anon(`${TABLE}?select=title`, {
      method: 'POST',
      body,
      headers: { ...headers, prefer: `${headers.prefer},tx=rollback` },
    })
    expect(status).toBe(201)
  })

  it.each([
    ['lists in lists', filled('{"title":', '[', 900_000), 400],
    ['thousands of keys', `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`)}}`, 400],
  ])('gets a refusal of %s', async (_, body, status) => {
    expect(errorOf(await post(anon, body, JSON_TYPE))).toEqual([status, 'invalid_body'])
  })

  it.each([
    ['ampersands', filled('title=x', '&', 900_000), 201],
    ['plus signs', filled('title=', '+', 900_000), 201],
    ['names', filled('a', '&a', 900_000), 400],
  ])('may send a form of %s', async (_, body, status) => {
    const { headers, ...answer } = await post(anon, body, { ...FORM, prefer: 'return=minimal,tx=rollback' })
    expect(answer.status, headers.get('content-type') ?? '').toBe(status)
  })

  it('calls a function with a body of any keys, of which an error shows no more than people read', async () => {
    const body = `{${Array.from({ length: 60_000 }, (_, i) => `"key_number_${i}":1`)}}`.slice(0, MEBIBYTE - 1)
    const whole = `${body.slice(0, body.lastIndexOf(','))}}`
    expect(await post(anon, whole, {}, `rpc/${TAKE}`)).toMatchObject({ status: 200, body: 1 })
    const { status, text } = await post(anon, whole, {}, `rpc/${PREFIX}_nothing`)
    expect(status).toBe(404)
    expect(text.length).toBeLessThan(20_000)
  })
})

describe('a service_role key', () => {
  const count = async () =>
    Number(
      (await service(`${TABLE}?select=title&limit=1`, { headers: { prefer: 'count=exact' } })).headers
        .get('content-range')
        ?.split('/')[1],
    )
  const insert = async (body: string, headers: Record<string, string> = CSV) => {
    await asOwner(`truncate public.${TABLE}`)
    const { status, text } = await post(service, body, headers)
    expect([status, text]).toEqual([201, ''])
    return count()
  }

  // Refused with 413: CSV became JSON, and that was escaped once more.
  it('inserts 5.5 MB of ordinary CSV', async () => {
    const line = '"a ""b""",c d,é1\n'
    const rows = Math.floor(5_500_000 / Buffer.byteLength(line))
    expect(await insert(`title,note,u\n${line.repeat(rows)}`)).toBe(rows)
    const { body } = await service(`${TABLE}?limit=1`)
    expect(body).toEqual([{ title: 'a "b"', note: 'c d', u: 'é1' }])
  })

  // Refused with 413 or 503, by how many they were: the rows became objects.
  it('inserts 2 MB of short lines of CSV', async () => {
    expect(await insert(`title\n${'1\n'.repeat(1_000_000)}`)).toBe(1_000_000)
  })

  it('inserts 10 MB of JSON, of which each byte has to be escaped', async () => {
    expect(await insert(filled('{"title":"', '\\\\', 10 * MEBIBYTE, '"}'), JSON_TYPE)).toBe(1)
  })

  it.each([
    ['rows of CSV', `title\n${'\n'.repeat(1_000_001)}`, CSV],
    [
      'fields of CSV',
      `${Array.from({ length: 1_000 }, (_, i) => `c${i}`)}\n${`${','.repeat(999)}\n`.repeat(2_501)}`,
      CSV,
    ],
    ['rows of JSON', `[{}${',{}'.repeat(1_000_000)}]`, JSON_TYPE],
    ['backslashes of CSV, which escaping makes four', filled('title\n', '\\', 9 * MEBIBYTE), CSV],
    ['bytes of a form', filled('title=', '+', 2 * MEBIBYTE), FORM],
  ])('is told to send less at once: too many %s', async (_, body, headers) => {
    const answer = await post(service, body, headers)
    expect(errorOf(answer)).toEqual([413, 'payload_too_large'])
    expect(answer.body.hint).toMatch(/^Send/)
  })
})

describe('any other route with a body', () => {
  // A schema made an issue of each item: 500.
  it('sees no more values than it takes', async () => {
    const { post: postSql } = await makeSqlCaller()
    const many = `[{}${',{}'.repeat(300_000)}]`
    for (const [path, body] of [
      ['/v1/sql', `{"sql":"select 1","params":${many}}`],
      ['/v1/sql/transaction', `{"statements":${many}}`],
      ['/v1/keys', `{"name":${many}}`],
    ] as const) {
      expect(errorOf(await postSql(path, body))).toEqual([413, 'payload_too_large'])
    }
  })
})
