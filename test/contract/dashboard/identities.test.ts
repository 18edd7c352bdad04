// /api/auth over HTTP: finding people, and signing them out. The list's own promises are in identities.test.ts; odd
// answers of the identity provider are in test/unit/clients/identity-admin.test.ts.

import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { IdentityDetail, IdentityList } from '../../../src/features/identities/schemas.ts'
import { signInAsBrowser } from '../../../stand-ins/identity-server/seeds.ts'
import { makePerson, type Person } from '../../support/applications.ts'
import { asAdmin, auditLogs, memberOutcome } from './caller.ts'

const stack = inject('stack')

const signIn = (person: Person) => signInAsBrowser(stack.identity_public_url ?? '', person)

async function isSignedIn(cookie: string): Promise<boolean> {
  const whoami = await fetch(`${stack.identity_public_url}/sessions/whoami`, { headers: { cookie } })
  return whoami.status === 200
}

async function detailOf({ id }: Person): Promise<IdentityDetail> {
  const answer = await asAdmin('GET', `/api/auth/identities/${id}`)
  expect(answer.status, answer.text).toBe(200)
  return IdentityDetail.strict().parse(answer.json)
}

it('finds a person by e-mail address, and shows the open sessions', async () => {
  const person = await makePerson()
  await signIn(person)
  const listed = await asAdmin('GET', `/api/auth/identities?email=${encodeURIComponent(person.email)}`)
  expect(IdentityList.parse(listed.json).data).toMatchObject([{ id: person.id }])
  expect((await detailOf(person)).active_sessions).toHaveLength(1)
  expect((await asAdmin('GET', '/api/auth/identities?limit=0')).status).toBe(400)
})

describe('DELETE /api/auth/identities/:id/sessions', () => {
  it('ends all sessions of the person and nobody else’s, and says who did it', async () => {
    const [person, other] = await Promise.all([makePerson(), makePerson()])
    const cookies = [await signIn(person), await signIn(person)]
    const others = await signIn(other)
    const path = `/api/auth/identities/${person.id}/sessions`
    const answer = await asAdmin('DELETE', path)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await Promise.all([...cookies, others].map(isSignedIn))).toEqual([false, false, true])
    expect((await asAdmin('DELETE', path)).status).toBe(204)
    const entries = await auditLogs({ target_kind: 'identity', target_id: person.id })
    expect(entries).toHaveLength(2)
    for (const entry of entries) {
      expect(entry).toMatchObject({
        action: 'identities.sign_out',
        actor_id: stack.admin_identity_id,
        outcome: 'succeeded',
      })
    }
  })
})

describe('DELETE /api/auth/sessions/:id', () => {
  it('ends that session alone, and is in the audit log under the person', async () => {
    const person = await makePerson()
    const kept = await signIn(person)
    const [{ id: keptId } = { id: '' }] = (await detailOf(person)).active_sessions
    const ended = await signIn(person)
    const session = (await detailOf(person)).active_sessions.find(({ id }) => id !== keptId)
    const answer = await asAdmin('DELETE', `/api/auth/sessions/${session?.id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect([await isSignedIn(kept), await isSignedIn(ended)]).toEqual([true, false])
    expect(await auditLogs({ target_kind: 'identity', target_id: person.id })).toMatchObject([
      { action: 'identities.end_session', outcome: 'succeeded', before: { id: session?.id }, after: null },
    ])
    expect((await asAdmin('DELETE', `/api/auth/sessions/${session?.id}`)).status).toBe(204)
  })
})

it.each(['/api/auth/identities/ID', '/api/auth/identities/ID/sessions', '/api/auth/sessions/ID'])(
  '%s answers 404 for an id that nobody has, and for what is no id, without an entry in the log',
  async path => {
    const method = path.endsWith('identities/ID') ? 'GET' : 'DELETE'
    for (const id of [randomUUID(), 'nope', '..%2Fidentities']) {
      const { status, json } = await asAdmin(method, path.replace('ID', id))
      expect([id, status, json.code]).toEqual([id, 404, 'not_found'])
      expect(await auditLogs({ target_kind: 'identity', target_id: id })).toEqual([])
    }
  },
)

it.each([
  ['GET', '/api/auth/identities'],
  ['GET', `/api/auth/identities/${stack.user_identity_id}`],
  ['DELETE', `/api/auth/identities/${stack.user_identity_id}/sessions`],
  ['DELETE', `/api/auth/sessions/${randomUUID()}`],
])('%s %s is not for members', async (method, path) => {
  expect(await memberOutcome(method, path)).toEqual([403, 'admin_required'])
})
