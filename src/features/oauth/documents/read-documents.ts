// The OAuth2 server's public documents, as the dashboard and the client API pass them on.

import { DiscoveryDocument, PublicKeySet } from '../../../clients/oauth-server/documents.ts'
import type { PublicDocuments } from './public-documents.ts'

export { DiscoveryDocument, PublicKeySet }

interface DocumentsDeps {
  oauthDocuments: Pick<PublicDocuments, 'discovery' | 'publicKeys'>
}

/** The discovery document, at most a minute old. Throws the `upstream_*` errors and `not_configured`. */
export function readDiscovery({ oauthDocuments }: DocumentsDeps): Promise<DiscoveryDocument> {
  return oauthDocuments.discovery()
}

/** The public signing keys, at most a second old. Throws as `readDiscovery`. */
export function readPublicKeys({ oauthDocuments }: DocumentsDeps): Promise<PublicKeySet> {
  return oauthDocuments.publicKeys()
}
