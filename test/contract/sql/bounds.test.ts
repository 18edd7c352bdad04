// What a single call of /v1/sql may cost the Worker and the gateway in memory.

import { existsSync, readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { freshName, makeSqlCaller } from './caller.ts'

const caller = await makeSqlCaller()
const { sql } = caller
const MEBIBYTE = 1024 * 1024

test('refuses a value of 30 MB without taking it into the Worker, and says what to do', async () => {
  const { status, body } = await sql("select repeat('x', 30000000) as value")
  expect(status).toBe(400)
  expect(body).toMatchObject({
    code: 'response_too_large',
    error: expect.stringMatching(/^The result is larger than 16 MiB\. /),
    hint: expect.stringContaining('row_limit'),
  })
  expect((await sql('select 1 as one')).body.rows).toEqual([{ one: 1 }])
})

test('refuses many rows that are too much together, and gives 10 MB', async () => {
  const rows = (count: number) =>
    sql(`select repeat('x', 100000) as value from generate_series(1, ${count})`, [], { row_limit: 1000 })
  expect((await rows(300)).body.code).toBe('response_too_large')
  const { body } = await rows(100)
  expect(body.rows).toHaveLength(100)
  expect(body.rows[99].value).toHaveLength(100_000)
})

test('says that nothing was changed only where that is so', async () => {
  const table = freshName('large')
  await sql(`create table ${table} (v text)`)
  const { body } = await sql(
    `insert into ${table} select repeat('x', 100000) from generate_series(1, 400) returning v`,
  )
  expect(body.code).toBe('response_too_large')
  const left = (await sql(`select count(*)::int as n from ${table}`)).body.rows[0].n
  // Postgres may have been done before it could be stopped: then the answer must say so.
  expect(body.error).toContain(left === 0 ? 'Nothing was changed.' : 'was committed')
})

// The attack: a function raises the words of the gateway's own errors, to be taken for a bound, or for a lost answer.
test.each(['P0001', '54000', '53400'])('are not what SQL raises in such words (%s)', async code => {
  const table = freshName('raised')
  await sql(`create table ${table} (v text)`)
  const words = { message: 'result larger than 5 bytes; committed', detail: 'The batch was committed.' }
  const raise = `do $$ begin insert into ${table} values ('x');
    raise exception '${words.message}' using errcode = '${code}', detail = '${words.detail}'; end $$`
  const { body } = await sql(raise)
  expect(body).toMatchObject({ error: words.message, code, detail: words.detail })
  expect((await sql(`select count(*)::int as n from ${table}`)).body.rows).toEqual([{ n: 0 }])
})

/** Resident memory of the stack's gateway, in bytes; where the kernel tells. */
function gatewayBytes(): number {
  const status = readFileSync(`/proc/${inject('stack').pids.gateway}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

test.runIf(existsSync('/proc/self/status'))(
  'reads ten rows of a thousand million again and again with the gateway no larger',
  async () => {
    const read = () =>
      sql('select generate_series(1, 1000000000) as n', [], { row_limit: 10, timeout: 5_000 })
    expect((await read()).body.rows).toHaveLength(10)
    const before = gatewayBytes()
    for (let i = 0; i < 120; i++) {
      const { body } = await read()
      expect(body.rows.map((row: { n: number }) => row.n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }
    expect(gatewayBytes() - before).toBeLessThan(200 * MEBIBYTE)
  },
)
