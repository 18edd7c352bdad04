import { expect, it } from 'vitest'
import { parseExactly, prettyJson } from '../../../dashboard/src/parts/exact-json.ts'

it('writes every number as it was', () => {
  const text = '{"id":9007199254740993,"price":1.10,"zero":-0,"big":1e400,"few":[1,0.5,"1.10"]}'
  expect(JSON.stringify(parseExactly(text))).toBe(text)
  expect(prettyJson('{"price":1.10}')).toBe('{\n  "price": 1.10\n}')
})

it('leaves numbers that do not change as numbers', () => {
  expect(parseExactly('{"id":7,"half":0.5}')).toEqual({ id: 7, half: 0.5 })
})

it('leaves what is no JSON, or is nested too deeply, as it is', () => {
  for (const text of ['{"a":', '['.repeat(100_000) + ']'.repeat(100_000)]) expect(prettyJson(text)).toBe(text)
})
