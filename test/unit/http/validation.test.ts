import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { WholeNumber } from '../../../src/lib/whole-number.ts'
import { bodyThroughRoute } from '../../support/route-body.ts'

const schema = z.strictObject({ name: z.string().min(1), tags: z.array(z.string()).optional() })
const KINDS = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('a') }),
  z.strictObject({ kind: z.literal('b') }),
])
const parse = (value: unknown) => bodyThroughRoute(schema, value)

describe('a JSON body', () => {
  it('names each field that is wrong', async () => {
    await expect(parse({ name: '', tags: [1] })).rejects.toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        detail: expect.stringMatching(/body\.name.*body\.tags\.0/),
      }),
    )
  })

  it('refuses an unknown field instead of ignoring a typing mistake', async () => {
    await expect(parse({ name: 'a', nmae: 'b' })).rejects.toThrow(/nmae/)
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
    [
      z.iso.datetime({ offset: true }),
      '2030-01-31T12:00:00 02:00',
      'must be a time with its zone, as 2030-01-31T12:00:00Z; in an address + is written %2B',
    ],
    [z.iso.datetime({ offset: true }), '2030-02-30T12:00:00Z', 'is a time that no calendar or clock has'],
    [z.iso.datetime(), '2030-01-31T24:00:00Z', 'is a time that no calendar or clock has'],
    [z.int().multipleOf(60), 61, 'must be a multiple of 60'],
    [WholeNumber.pipe(z.int().max(500)), '99999999999', 'must be at most 500'],
    [WholeNumber.pipe(z.int().max(500)), '9'.repeat(400), 'must be at most 500'],
    [WholeNumber.pipe(z.int().max(500)), '-60', 'must be a whole number, in digits alone'],
    [z.enum(['a', 'b']), 'c', 'must be "a" or "b"'],
    [KINDS, { kind: 'c' }, 'must be "a" or "b"', '.kind'],
    [KINDS, {}, 'is missing, and must be "a" or "b"', '.kind'],
    [z.strictObject({ a: z.string().optional() }), { b: 1 }, 'knows no "b", only a'],
    [z.strictObject({}), { ['b'.repeat(100)]: 1 }, `knows no "${'b'.repeat(60)}..."`],
    [z.boolean('says it in its own words'), 1, 'says it in its own words'],
  ])(
    'says what a field must be, and not what its schema expected (%#)',
    async (field, value, message, place = '') => {
      await expect(bodyThroughRoute(z.object({ field }), { field: value })).rejects.toThrow(
        expect.objectContaining({ message: `body.field${place}: ${message}`, detail: null }),
      )
    },
  )

  it('says what is wrong with a key, at a length that can be read', async () => {
    const claims = z.record(z.string().regex(/^a+$/, 'must be of the letter a'), z.string())
    const message = `body.${'b'.repeat(60)}...: cannot be a key here: it must be of the letter a`
    await expect(bodyThroughRoute(claims, { ['b'.repeat(1_000)]: 'x' })).rejects.toThrow(message)
  })

  it('may be left out where its schema allows it, and is asked for elsewhere', async () => {
    expect(await bodyThroughRoute(schema.optional(), undefined)).toBeUndefined()
    await expect(bodyThroughRoute(z.strictObject({ a: z.string().optional() }), undefined)).rejects.toThrow(
      expect.objectContaining({
        message: 'body: is missing, and must be an object',
        hint: 'The route needs a JSON body.',
      }),
    )
  })
})
