// The rows of the claims editor, and the completion of paths.

import { describe, expect, it } from 'vitest'
import {
  configOf,
  ownProblems,
  rowsOf,
  serverProblems,
  unresolvedIn,
} from '../../../dashboard/src/views/oauth2/claims/claim-rows.ts'
import { completionsOf, pathsOf } from '../../../dashboard/src/views/oauth2/claims/template-paths.ts'

const CONFIG = {
  id_token_claims: { plan: '{{metadata_public.plan}}' },
  access_token_claims: { id: '{{id}}' },
}
const row = (key: string, name: string, template = '') => ({ key, name, template })

describe('rows', () => {
  it('become the maps that they came from, without those that have no name yet', () => {
    const rows = rowsOf(CONFIG)
    expect(configOf(rows)).toEqual(CONFIG)
    const more = { ...rows, id_token_claims: [...rows.id_token_claims, row('new', '')] }
    expect(configOf(more)).toEqual(CONFIG)
  })

  it('are wrong without a name and with one that is there already', () => {
    const rows = {
      id_token_claims: [row('a', 'plan'), row('b', 'plan'), row('c', '', 'x'), row('d', '')],
      access_token_claims: [row('e', 'plan')],
    }
    expect([...ownProblems(rows).keys()]).toEqual(['b', 'c'])
  })

  it('take what the server says of them, and nothing that it says of others', () => {
    const rows = {
      id_token_claims: [row('a', 'sub'), row('b', 'sub: x'), row('c', '')],
      access_token_claims: [row('d', 'sub')],
    }
    const said = serverProblems(rows, 'body.id_token_claims.sub: the server sets this.', 'sub')
    expect([...said]).toEqual([['a', 'The server sets this.']])
    const detail = 'body.id_token_claims.sub: too long; body.access_token_claims.sub: empty'
    expect([...serverProblems(rows, 'The body is wrong.', detail)]).toEqual([
      ['a', 'Too long'],
      ['d', 'Empty'],
    ])
  })

  it('name the paths of theirs that lead to nothing', () => {
    expect(unresolvedIn('{{ traits.a }} {{id}} {{traits.a}}', ['traits.a', 'traits.b'])).toEqual(['traits.a'])
  })
})

describe('paths', () => {
  const person = {
    traits: {
      email: 'a@example.com',
      name: { first: 'A' },
      groups: ['x'],
      'odd.name': { 'a b': 1, '{}': 2 },
      none: null,
    },
    metadata_public: { plan: 'free' },
  }

  it('are those of the person, lists as a whole, without what no template can name', () => {
    expect(pathsOf(person)).toEqual([
      'id',
      'traits.email',
      'traits.name',
      'traits.name.first',
      'traits.groups',
      'traits["odd.name"]',
      'traits["odd.name"]["a b"]',
      'metadata_public.plan',
    ])
    expect(pathsOf(null)).toContain('traits.email')
  })

  it.each([
    ['', ['{{id}}', '{{traits.email}}']],
    ['{{', ['{{id}}', '{{traits.email}}']],
    ['Mail: {{em', ['Mail: {{traits.email}}']],
    ['{{id}} {{i', ['{{id}} {{id}}', '{{id}} {{traits.email}}']],
    ['{{id}}', []],
    ['text', []],
    ['{{nothing', []],
  ])('complete %j', (typed, templates) => {
    expect(completionsOf(typed, ['id', 'traits.email']).map(({ template }) => template)).toEqual(templates)
  })
})
