import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'

export type Consent = Schema<'ConsentSession'>
export type SignedOut = Schema<'Logout'>

/** Newest first; a client may come several times. */
export function consentsQuery(subject: string) {
  return queryOptions({
    queryKey: ['oauth2', 'consents', subject],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/oauthsrv/consent/{subject}', { params: { path: { subject } }, signal })),
  })
}

const readAgain = (subject: string) =>
  queryClient.invalidateQueries({ queryKey: consentsQuery(subject).queryKey })

/** At one client, or at all. Answers how many there were. */
export async function revokeConsents(subject: string, client?: string): Promise<number> {
  const params = { path: { subject }, query: client === undefined ? {} : { client } }
  const { revoked } = await answerOf(api.DELETE('/api/oauthsrv/consent/{subject}', { params }))
  void readAgain(subject)
  return revoked
}

/** Ends the login sessions and revokes the consents; answers which client was told. */
export async function signOutEverywhere(subject: string): Promise<SignedOut> {
  const answer = await answerOf(api.POST('/api/oauthsrv/logout', { body: { subject } }))
  void readAgain(subject)
  return answer
}
