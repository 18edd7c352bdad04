// What is asked again of a caller whose body came slowly.

import { expect, it } from 'vitest'
import type { Whoami } from '../../../src/clients/identity.ts'
import { SessionGate } from '../../../src/features/sessions/session-gate.ts'
import type { Arrival } from '../../../src/http/admission/arrival.ts'
import { confirmSession } from '../../../src/http/admission/session.ts'

const arrival = {
  request: new Request('http://quoin.test/api/keys', { headers: { cookie: 'session=1' } }),
} as Arrival

/** A gate of a session with this role, and how to change what the identity provider says. */
function makeGate() {
  let role: string | undefined = 'admin'
  let nowMs = 0
  const identity = () => ({ id: 'ada', traits: {}, metadata_public: { role } })
  const whoami = async (): Promise<Whoami> =>
    role === undefined
      ? { outcome: 'none' }
      : ({ outcome: 'session', session: { id: 's', identity: identity() } } as unknown as Whoami)
  const sessionGate = new SessionGate({
    whoami,
    adminIdentityIds: [],
    dashboardRoles: ['admin', 'member'],
    now: () => new Date(nowMs),
  })
  const later = (then: string | undefined) => {
    role = then
    nowMs += 11_000
  }
  return { sessionGate, later }
}

it('refuses a session that has ended, and an administrator who is none any more', async () => {
  const { sessionGate, later } = makeGate()
  await confirmSession({ sessionGate }, arrival, true)
  later('member')
  await expect(confirmSession({ sessionGate }, arrival, true)).rejects.toMatchObject({
    code: 'admin_required',
  })
  await confirmSession({ sessionGate }, arrival, false)
  later(undefined)
  await expect(confirmSession({ sessionGate }, arrival, false)).rejects.toMatchObject({
    code: 'session_required',
  })
})
