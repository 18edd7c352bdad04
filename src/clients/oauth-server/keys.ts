// Key sets at the OAuth2 server's admin API (contracts of the Hydra wire, section 2.9), which shows private parts to
// whoever asks. They end here: every key that leaves this file went through the allow-list of `public-jwk.ts`.

import * as z from 'zod'
import { DomainError } from '../../errors.ts'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'
import { isPathName } from './path-name.ts'
import { PublicJwk } from './public-jwk.ts'
import { refusalOf } from './refusal.ts'

/** The public part of a key in a set, which always has an id. */
const StoredKey = PublicJwk.extend({ kid: z.string().min(1) })
export type StoredKey = z.infer<typeof StoredKey>

const KeySet = z.object({
  keys: z
    .array(StoredKey)
    .nullable()
    .transform(keys => keys ?? []),
})

/** RSA keys are of 4 096 bits, and take seconds to make. */
const CREATE_TIMEOUT_MS = 30_000

/** The keys of a set, the newest first; undefined when there is no such set. A name that none can have is not sent. */
export async function listStoredKeys(oauthAdmin: Upstream, setId: string): Promise<StoredKey[] | undefined> {
  if (!isPathName(setId) || setId.includes('/')) return undefined
  const answer = await callUpstream(oauthAdmin, { method: 'GET', path: pathOf(setId) })
  return processStoredKeys(oauthAdmin, answer)
}

/** What an answer to `listStoredKeys` means: 404 is no set, but only in the server's own words. */
export function processStoredKeys(oauthAdmin: Upstream, answer: UpstreamAnswer): StoredKey[] | undefined {
  if (answer.status === 404 && refusalOf(answer) !== undefined) return undefined
  return parseKeys(oauthAdmin, answer, 200)
}

export interface NewStoredKey {
  alg: string
  use: string
  /** Chosen by the caller, so that its id is known even if the answer gets lost. */
  kid: string
}

/** Makes a key and adds it to the set, which is made where there is none; a key of a default set signs from then on. */
export async function createStoredKey(
  oauthAdmin: Upstream,
  setId: string,
  key: NewStoredKey,
): Promise<StoredKey> {
  const answer = await callUpstream(oauthAdmin, {
    method: 'POST',
    path: pathOf(setId),
    json: key,
    timeoutMs: CREATE_TIMEOUT_MS,
  })
  return processCreatedKey(oauthAdmin, answer, key)
}

/**
 * What an answer to `createStoredKey` means. Throws `validation_failed` where the server does not know the algorithm.
 */
export function processCreatedKey(
  oauthAdmin: Upstream,
  answer: UpstreamAnswer,
  { alg, kid }: NewStoredKey,
): StoredKey {
  const refusal = answer.status === 400 ? refusalOf(answer) : undefined
  if (refusal !== undefined) {
    throw new DomainError('validation_failed', `The OAuth2 server makes no key for ${alg}.`, {
      detail: (refusal.error_description || refusal.error).slice(0, 300),
      hint: 'Nothing was changed. Choose another algorithm.',
    })
  }
  const key = parseKeys(oauthAdmin, answer, 201).find(created => created.kid === kid)
  if (key === undefined) throw invalidAnswer(oauthAdmin, answer)
  return key
}

/** Deletes a key. The server says the same for one that it never had: whoever wants to know looks first. */
export async function deleteStoredKey(oauthAdmin: Upstream, setId: string, kid: string): Promise<void> {
  const path = `${pathOf(setId)}/${encodeURIComponent(kid)}`
  const answer = await callUpstream(oauthAdmin, { method: 'DELETE', path })
  if (answer.status !== 204) throw unexpected(oauthAdmin, answer)
}

function pathOf(setId: string): string {
  return `/admin/keys/${encodeURIComponent(setId)}`
}

function parseKeys(oauthAdmin: Upstream, answer: UpstreamAnswer, status: number): StoredKey[] {
  if (answer.status !== status) throw unexpected(oauthAdmin, answer)
  const parsed = KeySet.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(oauthAdmin, answer)
  return parsed.data.keys
}
