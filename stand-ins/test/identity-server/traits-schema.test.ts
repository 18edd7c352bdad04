// What is wrong with traits, in the words of Kratos: its admin API shows them, and the forms make their messages of
// them.

import { describe, expect, it } from 'vitest'
import { loadTraitsSchema } from '../../identity-server/traits-schema.ts'
import type { Json } from '../../service/json.ts'

const schema = loadTraitsSchema('test/support/recorded-identity.schema.json')
const EMAIL = 'ada@example.com'
const reasons = (traits: Json | undefined) => schema.check(traits).map(({ reason }) => reason)

describe('traits', () => {
  // Whoever registers writes them: a claim or a policy that goes by such a trait lets everybody in.
  it('of the local stack say nothing about what somebody may do', () => {
    const own = loadTraitsSchema()
    expect(own.check({ email: EMAIL, name: { first: 'Ada' } })).toEqual([])
    for (const traits of [{ role: 'admin' }, { groups: ['staff'] }, { is_admin: true }])
      expect(own.check({ email: EMAIL, ...traits })).toMatchObject([{ keyword: 'additionalProperties' }])
    expect(own.fields.map(({ name }) => name)).toEqual([
      'traits.email',
      'traits.name.first',
      'traits.name.last',
    ])
  })

  it('are right with an address alone, and with everything', () => {
    const traits = { email: EMAIL, name: { first: 'Ada', last: '' }, role: 'admin', groups: ['a', ''] }
    expect([schema.check({ email: EMAIL }), schema.check(traits)]).toEqual([[], []])
  })

  it.each<[Json | undefined, string[]]>([
    [undefined, ['I[#/traits] S[#/properties/traits/required] missing properties: "email"']],
    [{}, ['I[#/traits] S[#/properties/traits/required] missing properties: "email"']],
    [null, ['I[#/traits] S[#/properties/traits/type] expected object, but got null']],
    [[], ['I[#/traits] S[#/properties/traits/type] expected object, but got array']],
    ['x', ['I[#/traits] S[#/properties/traits/type] expected object, but got string']],
    [
      { email: 1.5, name: true, groups: {} },
      [
        'I[#/traits/email] S[#/properties/traits/properties/email/type] expected string, but got number',
        'I[#/traits/name] S[#/properties/traits/properties/name/type] expected object, but got boolean',
        'I[#/traits/groups] S[#/properties/traits/properties/groups/type] expected array, but got object',
      ],
    ],
    [
      { email: 'a"' },
      [
        'I[#/traits/email] S[#/properties/traits/properties/email/minLength] length must be >= 3, but got 2',
        'I[#/traits/email] S[#/properties/traits/properties/email/format] "a\\"" is not valid "email"',
      ],
    ],
    [
      { email: '😀@' },
      [
        'I[#/traits/email] S[#/properties/traits/properties/email/minLength] length must be >= 3, but got 2',
        'I[#/traits/email] S[#/properties/traits/properties/email/format] "😀@" is not valid "email"',
      ],
    ],
    [
      { email: EMAIL, groups: ['a', 1, null] },
      [
        'I[#/traits/groups/1] S[#/properties/traits/properties/groups/items/type] expected string, but got number',
        'I[#/traits/groups/2] S[#/properties/traits/properties/groups/items/type] expected string, but got null',
      ],
    ],
    [
      { b: 1, 'c"': 2, name: { first: 1, other: 2 } },
      [
        'I[#/traits] S[#/properties/traits/required] missing properties: "email"',
        'I[#/traits] S[#/properties/traits/additionalProperties] additionalProperties "b", "c\\"" not allowed',
        'I[#/traits/name/first] S[#/properties/traits/properties/name/properties/first/type] expected ' +
          'string, but got number',
      ],
    ],
    [
      JSON.parse('{"email":"ada@example.com","__proto__":1,"toString":2}'),
      [
        'I[#/traits] S[#/properties/traits/additionalProperties] additionalProperties "__proto__", ' +
          '"toString" not allowed',
      ],
    ],
  ])('%j break the schema', (traits, expected) => {
    expect(reasons(traits)).toEqual(expected)
  })

  it('break it at places that a form can show, with what its message says', () => {
    expect(schema.check({ name: { first: 1 } })).toEqual([
      expect.objectContaining({ field: 'traits.email', keyword: 'required', expected: 'email' }),
      expect.objectContaining({
        field: 'traits.name.first',
        keyword: 'type',
        expected: 'string',
        actual: 'number',
        text: 'expected string, but got number',
      }),
    ])
    expect(schema.check({ email: 'not an address', x: 1 })).toEqual([
      expect.objectContaining({ field: 'traits', keyword: 'additionalProperties' }),
      expect.objectContaining({ field: 'traits.email', keyword: 'format', actual: 'not an address' }),
    ])
  })
})
