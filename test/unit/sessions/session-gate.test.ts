// How long an answer about a session counts, and who may use the dashboard layer.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Session, Whoami } from '../../../src/clients/identity.ts'
import { DomainError } from '../../../src/errors.ts'
import { SessionGate, type SessionRules } from '../../../src/features/sessions/session-gate.ts'

const START_MS = Date.parse('2030-01-01T00:00:00Z')
const COOKIE = 'ory_kratos_session=abc'

let nowMs: number
let answer: Whoami
const whoami = vi.fn(async () => answer)

function sessionOf(publicRole?: unknown, more: Partial<Session> = {}): Whoami {
  const metadata = publicRole === undefined ? {} : { role: publicRole }
  const identity = { id: 'ada', traits: {}, metadata_public: metadata, verifiable_addresses: [] }
  return {
    outcome: 'session',
    session: { id: 's', active: true, authentication_methods: [], identity, ...more },
  }
}

function makeGate(rules: Partial<SessionRules> = {}): SessionGate {
  const now = () => new Date(nowMs)
  return new SessionGate({ whoami, adminIdentityIds: [], dashboardRoles: ['*'], now, ...rules })
}

beforeEach(() => {
  nowMs = START_MS
  answer = sessionOf()
  vi.clearAllMocks()
})

describe('an answer about a session', () => {
  it('counts for ten seconds and not a millisecond more: then a session that was ended is refused', async () => {
    const gate = makeGate()
    await gate.enter(COOKIE)
    answer = { outcome: 'none' }
    nowMs += 9_999
    expect(await gate.enter(COOKIE)).toMatchObject({ session: { id: 's' } })
    expect(whoami).toHaveBeenCalledTimes(1)
    nowMs += 1
    await expect(gate.enter(COOKIE)).rejects.toMatchObject({ code: 'session_required' })
  })

  it('never counts beyond the end of the session', async () => {
    answer = sessionOf(undefined, { expires_at: new Date(START_MS + 2_000).toISOString() })
    const gate = makeGate()
    await gate.enter(COOKIE)
    nowMs += 2_000
    await gate.enter(COOKIE)
    expect(whoami).toHaveBeenCalledTimes(2)
  })

  it('is kept for these very cookies', async () => {
    const gate = makeGate()
    await gate.enter(COOKIE)
    answer = { outcome: 'none' }
    await expect(gate.enter(`${COOKIE}; theme=dark`)).rejects.toMatchObject({ code: 'session_required' })
  })

  it.each<[string, Whoami, string]>([
    ['nobody', { outcome: 'none' }, 'session_required'],
    [
      'a missing second factor',
      { outcome: 'second_factor', redirectTo: 'http://id' },
      'second_factor_required',
    ],
  ])('is not kept when it is %s', async (_, refusal, code) => {
    const gate = makeGate()
    answer = refusal
    await expect(gate.enter(COOKIE)).rejects.toMatchObject({ code })
    answer = sessionOf()
    expect(await gate.enter(COOKIE)).toMatchObject({ session: { id: 's' } })
  })

  it('is not made up when the provider cannot be asked', async () => {
    const down = new DomainError('upstream_unavailable', 'down')
    whoami.mockRejectedValueOnce(down)
    await expect(makeGate().enter(COOKIE)).rejects.toBe(down)
  })
})

describe('cookies', () => {
  it.each([
    ['none', null],
    ['empty ones', ''],
    ['more than a browser sends', `a=${'x'.repeat(16_384)}`],
  ])('of no session are refused without asking: %s', async (_, cookies) => {
    await expect(makeGate().enter(cookies)).rejects.toMatchObject({ code: 'session_required' })
    expect(whoami).not.toHaveBeenCalled()
  })
})

describe('roles', () => {
  it.each([
    ['any identity, where all are let in', undefined, ['*'], [], 'in'],
    ['a role, where all are let in', 'guest', ['staff', '*'], [], 'in'],
    ['the role *, where roles are named', '*', ['staff'], [], 'out'],
    ['its role', 'staff', ['staff'], [], 'in'],
    ['another role', 'guest', ['staff'], [], 'out'],
    ['no role, where roles are named', undefined, ['staff'], [], 'out'],
    ['a role that is no text', ['staff'], ['staff'], [], 'out'],
    ['the role of administrators', 'admin', ['staff'], [], 'admin'],
    ['an id of ADMIN_IDENTITY_IDS', undefined, ['staff'], ['ada'], 'admin'],
    ['another id of ADMIN_IDENTITY_IDS', undefined, ['*'], ['bob'], 'in'],
    ['a role in other letter case', 'Admin', ['admin'], [], 'out'],
  ] as const)('by %s', async (_, role, dashboardRoles, adminIdentityIds, expected) => {
    answer = sessionOf(role)
    const entered = makeGate({ dashboardRoles, adminIdentityIds }).enter(COOKIE)
    if (expected === 'out') await expect(entered).rejects.toMatchObject({ code: 'dashboard_role_required' })
    else expect(await entered).toMatchObject({ isAdmin: expected === 'admin' })
  })
})
