// What is wrong with traits: the admin API shows it, and the forms make their messages of it.

import { describe, expect, it } from 'vitest'
import { loadTraitsSchema } from '../../identity-server/traits-schema.ts'

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
