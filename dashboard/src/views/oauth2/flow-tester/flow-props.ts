import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import type { Circumstances } from './explain.ts'
import type { OAuthClient } from './queries.ts'
import type { Asked, ClientAccess } from './requests.ts'
import { CALLBACK_URL } from './sign-in-window.ts'

export interface FlowProps {
  client: OAuthClient
  access: ClientAccess
}

export function circumstancesOf(client: OAuthClient, asked: Asked): Circumstances {
  return {
    client,
    redirectUri: CALLBACK_URL,
    asked,
    origin: location.origin,
    server: OAUTH_PUBLIC_URL,
  }
}
