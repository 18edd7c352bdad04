// A dashboard session in the words of `GET /api/session`. Pure.

import * as z from 'zod'
import { standardClaims } from '../oauth/claims/standard-claims.ts'
import type { DashboardSession } from './session-gate.ts'

export const SessionView = z
  .object({
    identity: z.object({
      id: z.string(),
      email: z.string().nullable(),
      name: z.string().nullable().describe('as in tokens: the trait `name`, or its parts'),
    }),
    role: z.string().nullable().describe('`metadata_public.role` of the identity'),
    is_admin: z
      .boolean()
      .describe('whether it may call what is for administrators, by its role or by ADMIN_IDENTITY_IDS'),
    authenticated_at: z.string().nullable(),
    expires_at: z.string().nullable(),
  })
  .meta({
    id: 'SessionView',
    examples: [
      {
        identity: {
          id: '9f1c2d3e-0000-4000-8000-000000000000',
          email: 'ada@example.com',
          name: 'Ada Lovelace',
        },
        role: 'admin',
        is_admin: true,
        authenticated_at: '2026-01-31T12:00:00Z',
        expires_at: '2026-02-01T12:00:00Z',
      },
    ],
  })
export type SessionView = z.infer<typeof SessionView>

/** Who is signed in and what the session may do; null for what the identity provider does not say. */
export function describeSession({ session, isAdmin }: DashboardSession): SessionView {
  const { identity, authenticated_at, expires_at } = session
  const { email, name } = standardClaims(identity, ['email', 'profile'])
  return {
    identity: { id: identity.id, email: textOrNull(email), name: textOrNull(name) },
    role: textOrNull(identity.metadata_public['role']),
    is_admin: isAdmin,
    authenticated_at: authenticated_at ?? null,
    expires_at: expires_at ?? null,
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
