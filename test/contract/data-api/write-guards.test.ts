// What keeps a write on /v1/db/:table from doing more than was meant: a refusal changes nothing, and says what to do.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asOwner } from './caller.ts'
import {
  db,
  dropTables,
  fillTables,
  items,
  makeTables,
  names,
  patch,
  post,
  remove,
  t,
} from './write-tables.ts'

beforeAll(makeTables)
beforeEach(fillTables)
afterAll(dropTables)

describe('guards', () => {
  test('max-affected changes nothing when more rows match', async () => {
    for (const call of [
      () => patch(`${items}?id=gt.0`, { qty: 0 }, { prefer: 'max-affected=2' }),
      () => remove(`${items}?id=gt.0`, { prefer: 'max-affected=2, return=minimal' }),
    ]) {
      const { status, body } = await call()
      expect([status, body.code, body.detail]).toEqual([
        400,
        'max_affected_exceeded',
        'The query affects 3 rows',
      ])
    }
    expect((await names()).map((row: { qty: number }) => row.qty)).toEqual([1, 2, 3])
    const allowed = await patch(`${items}?id=gt.0`, { qty: 0 }, { prefer: 'max-affected=3' })
    expect([allowed.status, allowed.headers.get('preference-applied')]).toEqual([200, 'max-affected=3'])
  })

  test('a max-affected that cannot be read is refused, not ignored', async () => {
    const { status, body } = await remove(`${items}?id=gt.0`, { prefer: 'max-affected=two' })
    expect([status, body.code]).toEqual([400, 'invalid_preference'])
    expect(await names()).toHaveLength(3)
  })

  test('a write whose single object has none or several rows is undone', async () => {
    const accept = 'application/vnd.pgrst.object+json'
    const several = await patch(`${items}?id=gt.1`, { qty: 0 }, { accept })
    expect([several.status, several.body.code, several.body.detail]).toEqual([
      406,
      'not_singular',
      'The result contains 2 rows',
    ])
    expect((await remove(`${items}?id=gt.0`, { accept, prefer: 'return=minimal' })).status).toBe(406)
    expect((await post([{ name: 'a' }, { name: 'b' }], { accept })).status).toBe(406)
    expect(await names()).toHaveLength(3)
    expect((await names()).map((row: { qty: number }) => row.qty)).toEqual([1, 2, 3])
  })

  test('tx=rollback answers as usual and changes nothing', async () => {
    const prefer = 'tx=rollback'
    const deleted = await remove(`${items}?id=gt.1&select=id&order=id`, { prefer })
    expect([deleted.status, deleted.body]).toEqual([200, [{ id: 2 }, { id: 3 }]])
    expect(deleted.headers.get('preference-applied')).toBe('tx=rollback')
    expect((await post({ name: 'ghost' }, { prefer })).body[0].name).toBe('ghost')
    expect((await post({ name: 'one' }, { prefer })).status).toBe(409)
    expect(await names()).toHaveLength(3)
  })

  test('tx=rollback checks deferred constraints too', async () => {
    const { status, body } = await post({ id: 1, item_id: 999 }, { prefer: 'tx=rollback' }, `${t}_children`)
    expect([status, body.code]).toEqual([409, '23503'])
  })

  test('unknown preferences are ignored, unless handling=strict', async () => {
    expect((await db(items, { headers: { prefer: 'foo=bar' } })).status).toBe(200)
    const { status, body } = await db(items, { headers: { prefer: 'foo=bar, handling=strict, baz' } })
    expect([status, body.code, body.detail]).toEqual([
      400,
      'invalid_preference',
      'Invalid preferences: foo=bar, baz',
    ])
  })

  test('timezone sets the zone of one request', async () => {
    await asOwner(`update ${items} set made = '2024-01-01T00:00:00Z'`)
    const path = `${items}?select=made&id=eq.1`
    const zoned = await db(path, { headers: { prefer: 'timezone=America/Los_Angeles' } })
    expect(zoned.body).toEqual([{ made: '2023-12-31T16:00:00-08:00' }])
    expect((await db(path)).body).toEqual([{ made: '2024-01-01T00:00:00+00:00' }])
    expect((await db(path, { headers: { prefer: 'timezone=Mars/Olympus' } })).status).toBe(400)
  })
})

describe('errors of Postgres', () => {
  test.each([
    [{ id: 1, name: 'x' }, 409, '23505', 'resolution=merge-duplicates'],
    [{ qty: 1 }, 400, '23502', '"name"'],
    [{ name: 'x', qty: 'abc' }, 400, '22P02', 'integer'],
    [{ name: 'x', qty: 99999999999 }, 400, '22003', 'bigint'],
    [{ name: 'x', made: 'yesterdayish' }, 400, '22007', '2024-01-31'],
    [{ nmae: 'x' }, 400, '42703', '"name"'],
  ])('%o is %i %s with a hint', async (row, expectedStatus, code, hint) => {
    const { status, body } = await post(row)
    expect([status, body.code]).toEqual([expectedStatus, code])
    // A near name comes from the catalog, which may be older than the table (decision 214).
    await expect.poll(async () => (await post(row)).body.hint).toContain(hint)
  })

  test('a foreign key says which side to mend', async () => {
    const { status, body } = await post({ id: 1, item_id: 999 }, {}, `${t}_children`)
    expect([status, body.code]).toEqual([409, '23503'])
    expect(body.hint).toContain('first')
  })
})

describe('what a request would ignore is refused, and nothing is written', () => {
  test.each([
    ['POST', 'id=eq.1', 'filter'],
    ['POST', 'limit=1', 'limit'],
    ['POST', 'offset=1', 'offset'],
    ['POST', 'on_conflict=id', 'on_conflict'],
    ['PATCH', 'id=eq.1&on_conflict=id', 'on_conflict'],
    ['DELETE', 'id=eq.1&columns=id', 'columns'],
    ['DELETE', 'id=eq.1&offset=0', 'offset'],
    ['GET', 'columns=id', 'columns'],
    ['GET', 'on_conflict=id', 'on_conflict'],
  ])('%s ?%s', async (method, query, parameter) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: { name: 'four' } }
    const answer = await db(`${items}?${query}`, { method, ...body })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter'])
    expect(`${answer.body.error} ${answer.body.hint}`).toContain(parameter)
    expect(await names()).toHaveLength(3)
  })

  test('max-affected on an insert is refused under handling=strict, and else not said to be applied', async () => {
    const strict = await post([{ name: 'a' }, { name: 'b' }], { prefer: 'max-affected=1, handling=strict' })
    expect([strict.status, strict.body.code]).toEqual([400, 'invalid_preference'])
    expect(strict.body.hint).toContain('PATCH and DELETE')
    expect(await names()).toHaveLength(3)
    const plain = await post({ name: 'a' }, { prefer: 'max-affected=1, return=minimal' })
    expect([plain.status, plain.headers.get('preference-applied')]).toEqual([201, 'return=minimal'])
  })
})
