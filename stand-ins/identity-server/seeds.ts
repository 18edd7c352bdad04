// The people of a fresh local stack, and how a program signs in as one of them. Speaks HTTP alone, so that it does the
// same to a real Kratos.

import { SESSION_COOKIE } from './session-secrets.ts'

const TIMEOUT_MS = 10_000

interface SeedPasswords {
  readonly adminPassword: string
  readonly userPassword: string
}

export const SEED_ADMIN_EMAIL = 'admin@quoin.local'
export const SEED_USER_EMAIL = 'user@quoin.local'

/**
 * Makes the admin and the member (`metadata_public.role` is `admin`, `member`) through the admin API at `adminUrl`,
 * unless they are there: who is there stays as it is, password included. The schema declares no address to verify, so
 * none is verified.
 */
export async function seedIdentities(adminUrl: string, passwords: SeedPasswords): Promise<void> {
  await makeUnlessThere(adminUrl, passwords.adminPassword, {
    traits: { email: SEED_ADMIN_EMAIL, name: { first: 'Ada', last: 'Admin' } },
    metadata_public: { role: 'admin', groups: ['staff'] },
  })
  await makeUnlessThere(adminUrl, passwords.userPassword, {
    traits: { email: SEED_USER_EMAIL, name: { first: 'Uli', last: 'User' } },
    metadata_public: { role: 'member', plan: 'free', groups: ['readers', 'writers'] },
  })
}

async function makeUnlessThere(
  adminUrl: string,
  password: string,
  identity: {
    readonly traits: { readonly email: string; [trait: string]: unknown }
    readonly metadata_public: unknown
  },
): Promise<void> {
  const response = await fetch(`${adminUrl}/admin/identities`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      schema_id: 'default',
      ...identity,
      credentials: { password: { config: { password } } },
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (response.status !== 201 && response.status !== 409)
    throw new Error(`${identity.traits.email} cannot be made: ${response.status} ${text.slice(0, 300)}`)
}

interface Credentials {
  readonly email: string
  readonly password: string
}

/** Signs in as a browser would; answers the session's cookie as `name=value`. Throws when the provider refuses. */
export async function signInAsBrowser(publicUrl: string, { email, password }: Credentials): Promise<string> {
  const options = { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) } as const
  const accept = 'application/json'
  const start = await fetch(`${publicUrl}/self-service/login/browser`, { ...options, headers: { accept } })
  const flow = await start.text()
  // Only the form's address and token are wanted of the flow.
  const action = /"action":"([^"]+)"/.exec(flow)?.[1]
  const token = /"name":"csrf_token"[^{}]*?"value":"([^"]+)"/.exec(flow)?.[1]
  if (action === undefined || token === undefined)
    throw new Error(`no login form: ${start.status} ${flow.slice(0, 300)}`)
  const done = await fetch(action, {
    ...options,
    method: 'POST',
    headers: { accept, cookie: cookiesOf(start).join('; '), 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'password', identifier: email, password, csrf_token: token }),
  })
  await done.text()
  const session = cookiesOf(done).find(cookie => cookie.startsWith(`${SESSION_COOKIE}=`))
  if (session === undefined) throw new Error(`${email} cannot sign in: ${done.status}`)
  return session
}

function cookiesOf(response: Response): string[] {
  return response.headers.getSetCookie().map(cookie => cookie.split(';')[0] ?? '')
}
