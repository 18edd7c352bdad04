import { answerOf, api, type Schema } from '../../../api/client.ts'
import { DEVICE_GRANT } from '../../../parts/oauth/grants.ts'
import { readClientsAgain } from '../../../parts/oauth/queries.ts'
import type { Flow } from './flows.ts'
import { CALLBACK_URL } from './sign-in-window.ts'

export type OAuthClient = Schema<'OAuthClient'>
export type CreatedClient = Schema<'CreatedOAuthClient'>

/** Says in a client's metadata that this page made it. */
const MARK = 'quoin_flow_tester'

export function isTestClient({ metadata }: OAuthClient): boolean {
  return metadata[MARK] === true
}

/** A client that can do this flow and nothing else; a confidential one answers its secret, this once. */
export async function createTestClient(flow: Flow): Promise<CreatedClient> {
  const common = { client_name: 'Flow tester', metadata: { [MARK]: true } }
  const created = await answerOf(
    api.POST('/api/oauthsrv/clients', {
      body:
        flow === 'client_credentials'
          ? {
              ...common,
              grant_types: ['client_credentials'],
              response_types: [],
              scope: 'read write',
              token_endpoint_auth_method: 'client_secret_basic',
            }
          : {
              ...common,
              grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
              response_types: ['code'],
              redirect_uris: [CALLBACK_URL],
              scope: 'openid offline_access profile email',
              token_endpoint_auth_method: 'none',
            },
    }),
  )
  void readClientsAgain()
  return created
}

/** With its tokens and consents, also while the page is left. One that is gone already is removed too. */
export async function removeTestClient(id: string): Promise<void> {
  const request = { params: { path: { id } }, keepalive: true }
  const { error, response } = await api.DELETE('/api/oauthsrv/clients/{id}', request)
  if (!response.ok && response.status !== 404) await answerOf(Promise.resolve({ error, response }))
  void readClientsAgain()
}
