// The document at a client's sector_identifier_uri (OpenID Connect Registration 5): a JSON list of all its redirect
// URIs. Hydra fetches it whenever the client is written, and does not say what was wrong with it.

import * as z from 'zod'
import { fetchText } from './client-keys.ts'
import { invalid, type SectorIdentifierCheck } from './client-validation.ts'

/** A check that asks by `fetch`; only https is asked. */
export function sectorIdentifierCheck(fetchDocument: typeof fetch): SectorIdentifierCheck {
  return async (uri, redirectUris) => {
    if (URL.parse(uri)?.protocol !== 'https:') throw invalid()
    const listed = await readList(fetchDocument, uri).catch(() => undefined)
    if (!listed?.length || redirectUris.some(redirectUri => !listed.includes(redirectUri))) throw invalid()
  }
}

async function readList(fetchDocument: typeof fetch, uri: string): Promise<string[]> {
  return z.array(z.string()).parse(JSON.parse(await fetchText(fetchDocument, uri)))
}
