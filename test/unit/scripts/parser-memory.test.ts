import { expect, test } from 'vitest'
import { boundMemory } from '../../../scripts/parser-memory.ts'
import { boundedWasm, loadNodeParser } from '../sql/node-parser.ts'

const MIB = 1024 * 1024

test('the bounded parser starts in a third of an isolate, and parses', async () => {
  const before = process.memoryUsage().external
  const parser = await loadNodeParser(boundedWasm)
  expect(process.memoryUsage().external - before).toBeLessThan(40 * MIB)
  await expect(parser.parse('select 1; select 2')).resolves.toHaveLength(2)
})

test('it parses 200 KB of ordinary SQL', async () => {
  const parser = await loadNodeParser(boundedWasm)
  const row = "(1, 'some text of a usual length, as rows have it', now(), null)"
  const sql = `insert into t (a, b, c, d) values ${Array.from({ length: 3_000 }, () => row).join(', ')}`
  expect(sql.length).toBeGreaterThan(190_000)
  await expect(parser.parse(sql)).resolves.toHaveLength(1)
})

// The attack: a text whose tree takes all of the isolate's memory, and every other request in it down.
test('a text that needs more is refused, and the next one is parsed', async () => {
  const parser = await loadNodeParser(boundedWasm)
  for (const count of [150_000, 250_000, 500_000])
    await expect(parser.parse(`select 1${',1'.repeat(count)}`)).rejects.toMatchObject({ code: 'sql_syntax' })
  await expect(parser.parse('select 1')).resolves.toHaveLength(1)
})

test('a module of another build is refused instead of broken', () => {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  expect(() => boundMemory(new Uint8Array(header), MIB, MIB)).toThrow('no section')
  expect(() => boundMemory(new Uint8Array([...header, 5, 3, 1, 0, 1]), MIB, MIB)).toThrow('one memory')
})

test('only the limits of the memory change', () => {
  const module = new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 7, 1, 1, 0x80, 0x10, 0x80, 0x80, 1, 0, 2, 1, 0x61,
  ])
  const bounded = boundMemory(module, 560 * 65_536, 1_024 * 65_536)
  expect([...bounded]).toEqual([...module.slice(0, 8), 5, 6, 1, 1, 0xb0, 4, 0x80, 8, 0, 2, 1, 0x61])
  expect(WebAssembly.validate(bounded)).toBe(true)
})
