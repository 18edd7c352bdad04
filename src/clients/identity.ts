// The identity provider (the Kratos wire): whose session a cookie is. Only the Cookie header of a caller is ever passed
// on: beside a token, a cookie that does not decode makes the real server fail with 500.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from './http.ts'

const Address = z.looseObject({ value: z.string(), verified: z.boolean().default(false) })

/** An identity, as far as Quoin reads it; what else the server says stays on it. */
export const Identity = z.looseObject({
  id: z.string().min(1),
  state: z.string().optional(),
  traits: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform(traits => traits ?? {}),
  /** Empty where there is none, and where it is no object: the provider takes any JSON. */
  metadata_public: z.record(z.string(), z.unknown()).catch({}),
  verifiable_addresses: z
    .array(Address)
    .nullish()
    .transform(addresses => addresses ?? []),
})
export type Identity = z.infer<typeof Identity>

/** What both APIs of the identity provider say of a session, as far as Quoin reads it. */
export const SessionFacts = z.looseObject({
  id: z.string().min(1),
  active: z.boolean().default(true),
  authenticated_at: z.string().optional(),
  expires_at: z.string().optional(),
  authenticator_assurance_level: z.string().optional(),
  authentication_methods: z
    .array(z.looseObject({ method: z.string().optional() }))
    .nullish()
    .transform(methods => methods ?? []),
})

/** A session as its holder sees it: with the identity. */
export const Session = SessionFacts.extend({ identity: Identity })
export type Session = z.infer<typeof Session>

/**
 * Whose session it is; that nobody is signed in; or that the session needs a second factor, to be asked for at
 * `redirectTo`.
 */
export type Whoami =
  | { outcome: 'session'; session: Session }
  | { outcome: 'none' }
  | { outcome: 'second_factor'; redirectTo: string | undefined }

/** Asks whose session the caller's cookies hold. Throws the `upstream_*` errors and `not_configured`. */
export async function whoami(identity: Upstream, cookieHeader: string): Promise<Whoami> {
  const answer = await callUpstream(identity, {
    method: 'GET',
    path: '/sessions/whoami',
    headers: { cookie: cookieHeader },
  })
  return processWhoami(identity, answer)
}

const SecondFactor = z.looseObject({
  error: z.looseObject({ id: z.literal('session_aal2_required') }),
  redirect_browser_to: z.string().optional(),
})

/** What an answer of whoami means: 401 is nobody, 403 asks for a second factor, and nothing else is an answer. */
export function processWhoami(identity: Upstream, answer: UpstreamAnswer): Whoami {
  if (answer.status === 401) return { outcome: 'none' }
  if (answer.status === 403) {
    const parsed = SecondFactor.safeParse(answer.json)
    if (parsed.success) return { outcome: 'second_factor', redirectTo: parsed.data.redirect_browser_to }
  }
  if (answer.status !== 200) throw unexpected(identity, answer)
  const parsed = Session.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(identity, answer)
  const session = parsed.data
  const isUsable = session.active && session.identity.state !== 'inactive'
  return isUsable ? { outcome: 'session', session } : { outcome: 'none' }
}
