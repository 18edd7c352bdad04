// What is wrong with traits: the admin API shows it, and the forms make their messages of it.

import { describe, expect, it } from 'vitest'
import { loadTraitsSchema } from '../../identity-server/traits-schema.ts'
import type { Json } from '../../service/json.ts'

const schema = loadTraitsSchema('test/support/recorded-identity.schema.json')
const EMAIL = 'ada@example.com'

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
    [undefined, ['traits.email required']],
    [{}, ['traits.email required']],
    [null, ['traits type']],
    [[], ['traits type']],
    ['x', ['traits type']],
    [{ email: 1.5, name: true, groups: {} }, ['traits.email type', 'traits.name type', 'traits.groups type']],
    [{ email: 'a"' }, ['traits.email minLength', 'traits.email format']],
    [{ email: '😀@' }, ['traits.email minLength', 'traits.email format']],
    [{ email: EMAIL, groups: ['a', 1, null] }, ['traits.groups.1 type', 'traits.groups.2 type']],
    [
      { b: 1, 'c"': 2, name: { first: 1, other: 2 } },
      ['traits.email required', 'traits additionalProperties', 'traits.name.first type'],
    ],
    [JSON.parse('{"email":"ada@example.com","__proto__":1,"toString":2}'), ['traits additionalProperties']],
  ])('%j break the schema', (traits, expected) => {
    expect(schema.check(traits).map(({ field, keyword }) => `${field} ${keyword}`)).toEqual(expected)
  })

  it('break it at places that a form can show, with what its message says', () => {
    expect(schema.check({ name: { first: 1 } })).toEqual([
      expect.objectContaining({ field: 'traits.email', keyword: 'required', expected: 'email' }),
      expect.objectContaining({
        field: 'traits.name.first',
        keyword: 'type',
        expected: 'string',
        actual: 'number',
      }),
    ])
    expect(schema.check({ email: 'not an address', x: 1 })).toEqual([
      expect.objectContaining({ field: 'traits', keyword: 'additionalProperties' }),
      expect.objectContaining({ field: 'traits.email', keyword: 'format', actual: 'not an address' }),
    ])
  })
})
