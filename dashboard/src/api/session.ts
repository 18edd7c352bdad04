// Who is signed in, and what that session may do.

import { type QueryClient, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { IDENTITY_PUBLIC_URL } from './addresses.ts'
import { answerOf, api, type Schema } from './client.ts'

export type Session = Schema<'SessionView'>

/** The session of the cookie. Fails with `session_required`, or `dashboard_role_required` for somebody else's user. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/session', { signal })),
  staleTime: 60_000,
})

/** Inside of the shell, which shows nothing before there is a session. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

const endedQuery = queryOptions({
  queryKey: ['session', 'ended'],
  queryFn: () => false,
  staleTime: Number.POSITIVE_INFINITY,
})

/** Called where a call says that there is no session any more; the shell then asks to sign in again. */
export function sessionHasEnded(client: QueryClient): void {
  if (client.getQueryData(sessionQuery.queryKey) !== undefined) client.setQueryData(endedQuery.queryKey, true)
}

/** True from the call that found no session until somebody has signed in again. */
export function useSessionEnded(): boolean {
  return useQuery(endedQuery).data === true
}

/** Somebody is signed in again, perhaps somebody else: everything is read anew. */
export async function sessionIsBack(client: QueryClient, session: Session): Promise<void> {
  client.setQueryData(endedQuery.queryKey, false)
  client.setQueryData(sessionQuery.queryKey, session)
  await client.invalidateQueries()
}

/** The sign-in page; it comes back to `returnTo`, an address of this dashboard. */
export function signInUrl(returnTo: string): string {
  return `${IDENTITY_PUBLIC_URL}/self-service/login/browser?return_to=${encodeURIComponent(returnTo)}`
}

/** Ends the session at the identity provider and comes back to the start page. Throws where it cannot be reached. */
export async function signOut(): Promise<void> {
  const answer = await fetch(`${IDENTITY_PUBLIC_URL}/self-service/logout/browser`, {
    credentials: 'include',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(10_000),
  })
  // No session any more: then it is done.
  if (answer.status === 401) return location.assign('/')
  const { logout_url: url } = (await answer.json()) as { logout_url?: string }
  if (url === undefined)
    throw new Error(`The identity provider answered ${answer.status} and no way to sign out.`)
  const target = new URL(url)
  target.searchParams.set('return_to', `${location.origin}/`)
  location.assign(target)
}
