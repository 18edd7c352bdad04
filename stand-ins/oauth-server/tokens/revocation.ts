// Ending access tokens beyond what oidc-provider's revocation endpoint does.

import { revokeTokens } from './token-answer.ts'
import type { TokenDeps } from './token-deps.ts'

/** Ends an access token of `clientId` with everything of its grant; unknown ones and those of others are left alone. */
export async function revokeAccessToken(deps: TokenDeps, clientId: string, value: string): Promise<void> {
  const { AccessToken, ClientCredentials } = deps.provider
  const token = (await AccessToken.find(value)) ?? (await ClientCredentials.find(value))
  if (token?.clientId !== clientId) return
  await token.destroy()
  if ('grantId' in token) await revokeTokens(deps, token.grantId)
}

/** Ends all access tokens of a client; its refresh tokens stay. */
export async function revokeAccessTokensOf(
  { database }: Pick<TokenDeps, 'database'>,
  clientId: string,
): Promise<void> {
  await database.query(
    `delete from provider_entries where client_id = $1 and kind in ('AccessToken', 'ClientCredentials')`,
    [clientId],
  )
}
