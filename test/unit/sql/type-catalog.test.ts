import { expect, test, vi } from 'vitest'
import type { DataDatabase, DataSession } from '../../../src/db/database.ts'
import { TypeCatalog } from '../../../src/features/sql/type-catalog.ts'

const session = { timeoutMs: 1 } as DataSession
const MOOD = ['20001', 'mood', 'e', '0', '0', ',']

/** A database that answers these rows to each look-up, and counts them. */
function makeDeps(answer: () => (string | null)[][]) {
  const asked: string[] = []
  let time = 1_000_000
  const timeouts: number[] = []
  const batch: DataDatabase['batch'] = async ({ timeoutMs }, statements) => {
    timeouts.push(timeoutMs)
    asked.push(String(statements[0]?.params[0]))
    return [{ command: 'SELECT', rowCount: null, fields: [], rows: answer() }]
  }
  const deps = { data: { batch } as DataDatabase, now: () => new Date(time) }
  return { deps, asked, timeouts, passTime: (ms: number) => (time += ms) }
}

test('built-in types cost no trip', async () => {
  const { deps, asked } = makeDeps(() => [])
  const findType = await new TypeCatalog().find(deps, session, [23, 1007, 25])
  expect(findType(1007)).toMatchObject({ name: '_int4', of: 23, isArray: true })
  expect(asked).toEqual([])
})

test('an unknown type is asked for once, for all that ask in a minute', async () => {
  const { deps, asked, passTime } = makeDeps(() => [MOOD])
  const catalog = new TypeCatalog()
  for (let i = 0; i < 3; i++) {
    const findType = await catalog.find(deps, session, [20_001, 20_001, 23])
    expect(findType(20_001)).toMatchObject({ name: 'mood', isArray: false })
    passTime(10_000)
  }
  expect(asked).toEqual(['{20001}'])
  passTime(60_000)
  await catalog.find(deps, session, [20_001])
  expect(asked).toHaveLength(2)
})

test('a caller with a timeout of a millisecond gets the names all the same', async () => {
  const { deps, timeouts } = makeDeps(() => [MOOD])
  await new TypeCatalog().find(deps, session, [20_001])
  expect(timeouts[0]).toBeGreaterThanOrEqual(1_000)
})

// The caller's statement is committed by then: an error would tell them that it was not.
test('a look-up that fails is no error; the type is only unknown', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const { deps } = makeDeps(() => {
    throw new Error('the database went away')
  })
  const findType = await new TypeCatalog().find(deps, session, [20_001])
  expect(findType(20_001)).toBeUndefined()
  expect(warn).toHaveBeenCalledOnce()
  warn.mockRestore()
})

test('what is remembered stays bounded, whatever callers make', async () => {
  let oid = 20_000
  const { deps, asked } = makeDeps(() => [[String(oid), 't', 'c', '0', '0', ',']])
  const catalog = new TypeCatalog()
  for (; oid < 22_500; oid++) await catalog.find(deps, session, [oid])
  asked.length = 0
  await catalog.find(deps, session, [20_000])
  expect(asked).toEqual(['{20000}'])
})
