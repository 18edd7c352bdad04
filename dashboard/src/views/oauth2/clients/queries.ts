import { answerOf, api, type Schema } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { clientQuery, clientsQuery, readClientsAgain } from '../../../parts/oauth/queries.ts'

/** Shows the record as it is now at once, and reads all of them again meanwhile. */
function isChanged(client: Schema<'OAuthClient'>): void {
  queryClient.setQueryData(clientQuery(client.client_id).queryKey, client)
  void readClientsAgain()
}

/** Answers the secret of a confidential client, this once. */
export async function createClient(body: Schema<'OAuthClientIn'>): Promise<Schema<'CreatedOAuthClient'>> {
  const created = await answerOf(api.POST('/api/oauthsrv/clients', { body }))
  void readClientsAgain()
  return created
}

/** Changes the fields that are sent, and no others. Fails with `conflict` after somebody else's change. */
export async function changeClient(id: string, body: Schema<'OAuthClientPatch'>): Promise<void> {
  isChanged(await answerOf(api.PUT('/api/oauthsrv/clients/{id}', { params: { path: { id } }, body })))
}

export async function configureTokens(id: string, body: Schema<'TokenConfig'>): Promise<void> {
  const params = { path: { id } }
  isChanged(await answerOf(api.PATCH('/api/oauthsrv/clients/{id}/token-config', { params, body })))
}

/** The old secret is refused at once; answers the new one, this once. */
export async function rotateSecret(id: string): Promise<string> {
  const { client_secret: secret } = await answerOf(
    api.POST('/api/oauthsrv/clients/{id}/secret', { params: { path: { id } } }),
  )
  void readClientsAgain()
  return secret
}

/** The record's own query is left as it is: its page is still there. */
export async function deleteClient(id: string): Promise<void> {
  await answerOf(api.DELETE('/api/oauthsrv/clients/{id}', { params: { path: { id } } }))
  const { queryKey } = clientsQuery
  queryClient.setQueryData(queryKey, all => all?.filter(client => client.client_id !== id))
  void queryClient.invalidateQueries({ queryKey, exact: true })
}
