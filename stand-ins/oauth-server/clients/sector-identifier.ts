// The document at a client's sector_identifier_uri (OpenID Connect Registration 5): a JSON list of all its redirect
// URIs. Hydra fetches it whenever the client is written, and does not say what was wrong with it.

import { firstValue } from '../../service/go-json.ts'
import { parseUrl } from '../wire/go-url.ts'
import { invalid, type SectorIdentifierCheck } from './client-validation.ts'

const TIMEOUT_MS = 10_000
const BYTES_MAX = 5 * 1024 * 1024

/** A check that asks by `fetch`; only https is asked, whatever the status. */
export function sectorIdentifierCheck(fetchDocument: typeof fetch): SectorIdentifierCheck {
  return async (uri, redirectUris) => {
    if (parseUrl(uri)?.scheme !== 'https') throw invalid()
    const listed = await readList(fetchDocument, uri).catch(() => undefined)
    if (listed === undefined || listed.length === 0) throw invalid()
    if (redirectUris.some(redirectUri => !listed.includes(redirectUri))) throw invalid()
  }
}

async function readList(fetchDocument: typeof fetch, uri: string): Promise<string[] | undefined> {
  const response = await fetchDocument(uri, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const list = firstValue(await readText(response))
  const isList = Array.isArray(list) && list.every(item => typeof item === 'string' || item === null)
  return isList ? list.map(item => item ?? '') : undefined
}

/** At most the first `BYTES_MAX` of a body. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= BYTES_MAX) break
  }
  return Buffer.concat(chunks).subarray(0, BYTES_MAX).toString('utf8')
}
