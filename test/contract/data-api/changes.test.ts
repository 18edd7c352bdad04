// PATCH and DELETE on /v1/db/:table: what they answer, what they change, and that they change nothing without a filter.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asOwner } from './caller.ts'
import { dropTables, fillTables, items, makeTables, names, patch, post, remove } from './write-tables.ts'

beforeAll(makeTables)
beforeEach(fillTables)
afterAll(dropTables)

describe('PATCH', () => {
  test('changes the rows that match and answers 200 with them', async () => {
    const { status, body, headers } = await patch(`${items}?id=in.(1,2)&select=id,qty&order=id.desc`, {
      qty: 50,
    })
    expect(status).toBe(200)
    expect(body).toEqual([
      { id: 2, qty: 50 },
      { id: 1, qty: 50 },
    ])
    expect(headers.get('content-range')).toBe('0-1/*')
    expect((await names()).map((row: { qty: number }) => row.qty)).toEqual([50, 50, 3])
  })

  test('no matching row is 200 [], an empty object changes nothing', async () => {
    const none = await patch(`${items}?id=eq.77`, { qty: 1 }, { prefer: 'count=exact' })
    expect([none.status, none.body, none.headers.get('content-range')]).toEqual([200, [], '*/0'])
    expect((await patch(`${items}?id=eq.1`, {})).body).toEqual([])
  })

  test('return=minimal is 204 without a body', async () => {
    const { status, text } = await patch(`${items}?id=eq.1`, { qty: 1 }, { prefer: 'return=minimal' })
    expect([status, text]).toEqual([204, ''])
  })

  test('without a filter is 400 filter_required, whatever else is sent', async () => {
    for (const query of ['', '?select=id', '?order=id&limit=1', '?limit=1&offset=1', '?columns=qty']) {
      const { status, body } = await patch(`${items}${query}`, { qty: 0 })
      expect([query, status, body.code]).toEqual([query, 400, 'filter_required'])
    }
    expect((await names()).map((row: { qty: number }) => row.qty)).toEqual([1, 2, 3])
  })

  test('a tree counts as a filter', async () => {
    expect((await patch(`${items}?or=(id.eq.1,id.eq.2)`, { qty: 0 })).body).toHaveLength(2)
  })

  test('names the table, not an alias of ours, when a column does not exist', async () => {
    const { status, body } = await patch(`${items}?id=eq.1`, { qtty: 1 })
    expect([status, body.code]).toEqual([400, '42703'])
    expect(body.error).toBe(`column qtty of relation "${items}" does not exist`)
    expect(body.hint).toContain(`"${items}.qty"`)
  })

  test('takes one object', async () => {
    expect((await patch(`${items}?id=eq.1`, [{ qty: 1 }, { qty: 2 }])).status).toBe(400)
  })
})

describe('DELETE', () => {
  test('answers 200 with the rows as they were', async () => {
    const { status, body, headers } = await remove(`${items}?qty=lt.3&select=name&order=name`, {
      prefer: 'count=exact',
    })
    expect([status, body]).toEqual([200, [{ name: 'one' }, { name: 'two' }]])
    expect(headers.get('content-range')).toBe('*/2')
    expect(await names()).toEqual([{ name: 'three', qty: 3 }])
  })

  test('without a filter, or with a limit, is refused and deletes nothing', async () => {
    expect((await remove(items)).body.code).toBe('filter_required')
    expect((await remove(`${items}?limit=1`)).body.code).toBe('filter_required')
    expect((await remove(`${items}?id=gt.0&limit=1`)).body.code).toBe('invalid_parameter')
    expect(await names()).toHaveLength(3)
  })
})

describe('a table with the name of an alias of ours', () => {
  test.each(['quoin_row', 'quoin_rows', 'r', 'q', 't', 'e'])('%s is read and written', async name => {
    await asOwner(`create table ${name} (id int primary key, v text)`)
    try {
      expect((await post({ id: 1, v: 'a' }, {}, name)).status).toBe(201)
      expect((await patch(`${name}?id=eq.1&select=v&order=id`, { v: 'b' })).body).toEqual([{ v: 'b' }])
      expect((await remove(`${name}?id=eq.1`)).body).toEqual([{ id: 1, v: 'b' }])
    } finally {
      await asOwner(`drop table ${name}`)
    }
  })
})
