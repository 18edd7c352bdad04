// The keys that a client proves itself with, and what else is read from an address that a client registered.

import type { JSONWebKeySet } from 'jose'
import type { Client } from './client-record.ts'

const TIMEOUT_MS = 10_000
const BYTES_MAX = 5 * 1024 * 1024

/** Its own keys, else those at its `jwks_uri`; rejects when these cannot be read. */
export async function clientKeys(fetchDocument: typeof fetch, client: Client): Promise<JSONWebKeySet> {
  if (client.jwks?.keys?.length) return { keys: client.jwks.keys as JSONWebKeySet['keys'] }
  return JSON.parse(await fetchText(fetchDocument, client.jwks_uri))
}

/** The text at `uri`; rejects for another status than 200, after ten seconds, and for more than five megabytes. */
export async function fetchText(fetchDocument: typeof fetch, uri: string): Promise<string> {
  const response = await fetchDocument(uri, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status !== 200) throw new Error(`${uri} answers ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > BYTES_MAX) throw new Error(`${uri} answers more than ${BYTES_MAX} bytes`)
  }
  return Buffer.concat(chunks).toString('utf8')
}
