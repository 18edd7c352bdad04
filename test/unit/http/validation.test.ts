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
    [z.boolean(), 'true', 'must be true or false'],
    [z.boolean(), undefined, 'is missing, and must be true or false'],
    [z.enum(['a', 'b']), undefined, 'is missing, and must be "a" or "b"'],
    [z.uuid(), 7, 'must be a UUID'],
    [z.array(z.string()).max(2), 'abc', 'must be a list'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().max(2), 'abc', 'must have at most 2 characters'],
    [z.int().min(1).max(9), 10, 'must be at most 9'],
    [z.array(z.string()).min(2), ['a'], 'must have at least 2 items'],
    [z.iso.datetime({ offset: true }), 'today', 'must be a time with its zone, as 2030-01-31T12:00:00Z'],
    [z.enum(['a', 'b']), 'c', 'must be "a" or "b"'],
    [z.strictObject({ a: z.string().optional() }), { b: 1 }, 'knows no "b", only a'],
    [z.strictObject({}), { ['b'.repeat(100)]: 1 }, `knows no "${'b'.repeat(60)}..."`],
    [z.boolean('says it in its own words'), 1, 'says it in its own words'],
  ])('says what a field must be, and not what its schema expected (%#)', (field, value, message) => {
    const parse = () => parseInput(z.object({ field }), { field: value }, 'body')
    expect(parse).toThrow(expect.objectContaining({ message: `body.field: ${message}`, detail: undefined }))
  })

  it('says what is wrong with a key, at a length that can be read', () => {
    const claims = z.record(z.string().regex(/^a+$/, 'must be of the letter a'), z.string())
    const parse = () => parseInput(claims, { ['b'.repeat(1_000)]: 'x' }, 'body')
    const message = `body.${'b'.repeat(60)}...: cannot be a key here: it must be of the letter a`
    expect(parse).toThrow(expect.objectContaining({ message }))
  })
})
