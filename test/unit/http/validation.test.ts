import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseInput } from '../../../src/http/validation.ts'

const schema = z.strictObject({ name: z.string().min(1), tags: z.array(z.string()).optional() })
const parse = (value: unknown) => () => parseInput(schema, value, 'body')

describe('parseInput', () => {
  it('names each field that is wrong', () => {
    expect(parse({ name: '', tags: [1] })).toThrowError(
      expect.objectContaining({
        code: 'validation_failed',
        detail: expect.stringMatching(/body\.name.*body\.tags\.0/),
      }),
    )
  })

  it('refuses an unknown field instead of ignoring a typing mistake', () => {
    expect(parse({ name: 'a', nmae: 'b' })).toThrow(/nmae/)
  })

  it.each([
    ['a NUL character', { name: 'a\u0000b' }],
    ['a NUL character in a key', { name: 'a', ['x\u0000']: 1 }],
    ['half of a surrogate pair', { name: 'a', tags: ['\ud83d'] }],
  ])('refuses %s, which Postgres cannot store as sent', (_, value) => {
    expect(parse(value)).toThrow(/NUL|surrogate/)
  })

  it('refuses nesting that would exhaust the stack', () => {
    let value: unknown = 'x'
    for (let i = 0; i < 100_000; i++) value = [value]
    expect(parse(value)).toThrow(/nested deeper/)
  })
})
