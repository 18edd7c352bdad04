// What the dashboard is told of a session, whatever the identity provider leaves out.

import { expect, it } from 'vitest'
import { Session } from '../../../src/clients/identity.ts'
import { describeSession } from '../../../src/features/sessions/describe-session.ts'

const viewOf = (identity: object, more: object = {}, isAdmin = false) =>
  describeSession({
    session: Session.parse({ id: 's', identity: { id: 'ada', ...identity }, ...more }),
    isAdmin,
  })

it('says who is signed in, with which role, since when and until when', () => {
  const identity = {
    traits: { email: 'ada@example.com', name: { first: 'Ada', last: 'Lovelace' } },
    metadata_public: { role: 'member' },
  }
  const times = { authenticated_at: '2026-01-31T12:00:00Z', expires_at: '2026-02-01T12:00:00Z' }
  expect(viewOf(identity, times)).toEqual({
    identity: { id: 'ada', email: 'ada@example.com', name: 'Ada Lovelace' },
    role: 'member',
    is_admin: false,
    ...times,
  })
})

it.each([
  ['nothing', {}],
  ['values of other kinds', { traits: { email: 7, name: ['Ada'] }, metadata_public: { role: { a: 1 } } }],
])('says null where the identity provider says %s', (_, identity) => {
  expect(viewOf(identity)).toEqual({
    identity: { id: 'ada', email: null, name: null },
    role: null,
    is_admin: false,
    authenticated_at: null,
    expires_at: null,
  })
})

it('tells an administrator by what the gate decided, not by the role', () => {
  expect(viewOf({}, {}, true)).toMatchObject({ role: null, is_admin: true })
})
