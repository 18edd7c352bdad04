// A new client, whoever asks for it: its secret, its token for managing itself, and the answer that shows both once.

import type { OAuthServerContext } from '../context.ts'
import { type ClientAnswer, type ClientIn, clientAnswer, isPublicClient } from './client-record.ts'
import { generateRegistrationToken, generateSecret, hashRegistrationToken } from './client-secrets.ts'
import { type SectorIdentifierCheck, validateClient } from './client-validation.ts'

/** Validates and stores a client; throws a `HydraError` 400 or 409. A public client's secret is made, but not shown. */
export async function registerClient(
  { clients, addresses }: Pick<OAuthServerContext, 'clients' | 'addresses'>,
  given: ClientIn,
  checkSector: SectorIdentifierCheck,
): Promise<ClientAnswer> {
  const secret = given.client_secret || generateSecret()
  const fields = await validateClient({ fields: given.fields, client_secret: secret }, checkSector)
  const token = generateRegistrationToken()
  const client = await clients.insert({
    id: given.client_id,
    fields,
    secret,
    registrationTokenHash: hashRegistrationToken(token),
  })
  return clientAnswer(client, {
    client_secret: isPublicClient(client) ? undefined : secret,
    registration_access_token: token,
    registration_client_uri: `${addresses.public}/oauth2/register/${encodeURIComponent(client.client_id)}`,
  })
}
