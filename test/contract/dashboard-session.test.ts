// GET /api/session over HTTP; odd sessions are in test/unit/sessions/describe-session.test.ts, credentials in
// sessions.test.ts.

import { expect, inject, it } from 'vitest'
import { SessionView } from '../../src/features/sessions/describe-session.ts'
import { callAs } from './dashboard-caller.ts'

const stack = inject('stack')

it.each([
  ['admin', true, stack.admin_identity_id, stack.admin_email],
  ['member', false, stack.user_identity_id, stack.user_email],
] as const)('GET /api/session tells the %s who that is', async (who, isAdmin, id, email) => {
  const { status, json } = await callAs(who, 'GET', '/api/session')
  expect(status).toBe(200)
  const view = SessionView.strict().parse(json)
  expect(view).toMatchObject({ identity: { id, email }, role: who, is_admin: isAdmin })
  expect(Date.parse(view.expires_at ?? '')).toBeGreaterThan(Date.parse(view.authenticated_at ?? ''))
})
