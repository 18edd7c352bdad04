// GET bridge/consent/info: what a consent screen of one's own has to show. Nothing in it lets its reader consent.

import type * as z from 'zod'
import { getConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { challengeEnded, consentGiven } from './bridge-error.ts'
import type { ConsentInfo } from './consent-schemas.ts'
import { decideConsent } from './decide-consent.ts'
import { isGiven } from './given-consent.ts'
import { destinationOf, isDeviceFlow, webUrl } from './request-url.ts'
import { scopeSentence } from './scope-sentences.ts'

/** The request behind a challenge. Throws the `challenge_*` errors. */
export async function readConsentInfo(
  { upstreams }: Pick<BridgeDeps, 'upstreams'>,
  challenge: string,
): Promise<z.output<typeof ConsentInfo>> {
  const found = await getConsentRequest(upstreams.oauthAdmin, challenge)
  if (found.outcome !== 'found') throw challengeEnded('consent', found, undefined)
  if (await isGiven({ upstreams }, found.request)) throw consentGiven(found.request)
  const { client, subject, requested_scope, requested_access_token_audience, request_url } = found.request
  return {
    client: {
      client_id: client.client_id,
      client_name: client.client_name ?? null,
      client_uri: webUrl(client.client_uri) ?? null,
      logo_uri: webUrl(client.logo_uri) ?? null,
      tos_uri: webUrl(client.tos_uri) ?? null,
      policy_uri: webUrl(client.policy_uri) ?? null,
    },
    subject,
    requested_scope,
    scopes: requested_scope.map(scopeSentence),
    requested_access_token_audience,
    skip: decideConsent(found.request).step === 'accept',
    is_device_flow: isDeviceFlow(request_url),
    destination: destinationOf(found.request) ?? null,
  }
}
