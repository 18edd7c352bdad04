// What kinds of clients there are. Pure.

import { DEVICE_GRANT } from '../../../parts/oauth/grants.ts'

interface KindOfClient {
  grant_types: readonly string[]
  token_endpoint_auth_method: string
}

export interface ClientCounts {
  /** Have a secret or a key. */
  confidential: number
  /** Have none: apps and pages, which must use PKCE. */
  public: number
  /** Sign in nobody: they speak for themselves. */
  machine: number
  device: number
}

/** Grants in which a person signs in. */
const PERSONAL = ['authorization_code', 'implicit', DEVICE_GRANT]

export function countsOf(clients: readonly KindOfClient[]): ClientCounts {
  const count = (test: (client: KindOfClient) => boolean) => clients.filter(test).length
  const isPublic = (client: KindOfClient) => client.token_endpoint_auth_method === 'none'
  return {
    confidential: count(client => !isPublic(client)),
    public: count(isPublic),
    machine: count(
      ({ grant_types: grants }) =>
        grants.includes('client_credentials') && !PERSONAL.some(grant => grants.includes(grant)),
    ),
    device: count(({ grant_types: grants }) => grants.includes(DEVICE_GRANT)),
  }
}
