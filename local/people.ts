// The two who can sign in on a fresh stack, each with a session that is ready for scripts.

import {
  SEED_ADMIN_EMAIL,
  SEED_USER_EMAIL,
  seedIdentities,
  signInAsBrowser,
} from '../stand-ins/identity-server/seeds.ts'
import type { OutsideServer } from './options.ts'
import type { Secrets } from './secrets.ts'

export interface SeededPerson {
  readonly identityId: string
  readonly email: string
  readonly password: string
  /** `name=value`, as a Cookie header takes it. */
  readonly sessionCookie: string
}

export interface People {
  readonly admin: SeededPerson
  readonly user: SeededPerson
}

const TIMEOUT_MS = 10_000

/** Makes both unless they are there, and signs them in. Throws when the identity provider does not play along. */
export async function seedPeople(
  { publicUrl, adminUrl }: OutsideServer,
  {
    admin_password: adminPassword,
    user_password: userPassword,
  }: Pick<Secrets, 'admin_password' | 'user_password'>,
): Promise<People> {
  await seedIdentities(adminUrl, { adminPassword, userPassword })
  const [admin, user] = await Promise.all([
    signIn(publicUrl, { email: SEED_ADMIN_EMAIL, password: adminPassword }),
    signIn(publicUrl, { email: SEED_USER_EMAIL, password: userPassword }),
  ])
  return { admin, user }
}

async function signIn(
  publicUrl: string,
  credentials: { readonly email: string; readonly password: string },
): Promise<SeededPerson> {
  const sessionCookie = await signInAsBrowser(publicUrl, credentials)
  const response = await fetch(`${publicUrl}/sessions/whoami`, {
    headers: { cookie: sessionCookie },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { identity } = (await response.json()) as { identity: { id: string } }
  return { ...credentials, identityId: identity.id, sessionCookie }
}
