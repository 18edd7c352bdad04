// Clients at the OAuth2 server's admin API (contracts of the Hydra wire, section 2.2). Changes go as a JSON Patch of
// `replace` operations: PUT would reset every field that it does not name, and other operations fail with 500.

import * as z from 'zod'
import { DomainError } from '../../errors.ts'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'
import { nextPageToken } from '../link-header.ts'
import type { ListPage } from '../whole-list.ts'
import { type NewWireClient, type WireChange, WireClient } from './client-record.ts'
import { isPathName } from './path-name.ts'
import { refusalOf } from './refusal.ts'

/** The server cuts a larger page to this without saying so. */
export const CLIENTS_PER_PAGE_MAX = 500
/** A write waits for the server, which may wait for the host of a sector identifier and asks it several times. */
const WRITE_TIMEOUT_MS = 15_000

export interface ClientListCall {
  pageSize: number
  /** From the page before. Must look like one of the server's: others make it drop the connection. */
  pageToken?: string | undefined
  /** Only clients whose `owner` is exactly this. */
  owner?: string | undefined
}

export type ClientPage = ListPage<WireClient>

/** One page of clients, by id. Throws `invalid_parameter` for a page token that is expired or not the server's. */
export async function listClientPage(oauthAdmin: Upstream, call: ClientListCall): Promise<ClientPage> {
  const answer = await callUpstream(oauthAdmin, {
    method: 'GET',
    path: '/admin/clients',
    query: { page_size: String(call.pageSize), page_token: call.pageToken, owner: call.owner },
  })
  return processClientPage(oauthAdmin, answer)
}

/** What an answer to `listClientPage` means. 400 is about the page token: nothing else of a call can be wrong. */
export function processClientPage(oauthAdmin: Upstream, answer: UpstreamAnswer): ClientPage {
  if (answer.status === 400 && refusalOf(answer) !== undefined) throw staleToken()
  const items = parseAnswer(z.array(WireClient), 200, oauthAdmin, answer)
  return { items, nextPageToken: nextPageToken(answer.headers), length: answer.text.length }
}

/** The client with this id; undefined when there is none. */
export async function getClient(oauthAdmin: Upstream, id: string): Promise<WireClient | undefined> {
  if (!isPathName(id)) return undefined
  const answer = await callUpstream(oauthAdmin, { method: 'GET', path: pathOf(id) })
  return processClient(oauthAdmin, answer)
}

/** Makes a client; answers it as stored. Throws `oauth_client_refused` and `conflict`. */
export async function createClient(oauthAdmin: Upstream, client: NewWireClient): Promise<WireClient> {
  const answer = await callUpstream(oauthAdmin, {
    method: 'POST',
    path: '/admin/clients',
    json: client,
    timeoutMs: WRITE_TIMEOUT_MS,
  })
  return processCreatedClient(oauthAdmin, answer)
}

export function processCreatedClient(oauthAdmin: Upstream, answer: UpstreamAnswer): WireClient {
  throwRefusal(answer)
  return parseAnswer(WireClient, 201, oauthAdmin, answer)
}

/**
 * Writes these fields and no others, in one patch; undefined when there is no such client. The server reads, changes
 * and writes without a lock, so of two patches at once one may be lost. Throws `oauth_client_refused`.
 */
export async function patchClient(
  oauthAdmin: Upstream,
  id: string,
  fields: WireChange,
): Promise<WireClient | undefined> {
  if (!isPathName(id)) return undefined
  const answer = await callUpstream(oauthAdmin, {
    method: 'PATCH',
    path: pathOf(id),
    json: Object.entries(fields).map(([field, value]) => ({ op: 'replace', path: `/${field}`, value })),
    timeoutMs: WRITE_TIMEOUT_MS,
  })
  return processClient(oauthAdmin, answer)
}

/**
 * What an answer to `getClient` or `patchClient` means. A patch that the server cannot read is its 500, thus
 * `upstream_unavailable`.
 */
export function processClient(oauthAdmin: Upstream, answer: UpstreamAnswer): WireClient | undefined {
  if (isNotFound(answer)) return undefined
  throwRefusal(answer)
  return parseAnswer(WireClient, 200, oauthAdmin, answer)
}

/** Deletes the client with its tokens, codes and consents; false when there is none. */
export async function deleteClient(oauthAdmin: Upstream, id: string): Promise<boolean> {
  if (!isPathName(id)) return false
  const answer = await callUpstream(oauthAdmin, { method: 'DELETE', path: pathOf(id) })
  return processDeletedClient(oauthAdmin, answer)
}

export function processDeletedClient(oauthAdmin: Upstream, answer: UpstreamAnswer): boolean {
  if (answer.status === 204) return true
  if (isNotFound(answer)) return false
  throw unexpected(oauthAdmin, answer)
}

function pathOf(id: string): string {
  return `/admin/clients/${encodeURIComponent(id)}`
}

/**
 * Only in the server's own words: the 404 of a web server or a gateway is a page, and means that the address is wrong.
 */
function isNotFound(answer: UpstreamAnswer): boolean {
  return answer.status === 404 && refusalOf(answer) !== undefined
}

function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  status: number,
  oauthAdmin: Upstream,
  answer: UpstreamAnswer,
): z.output<Schema> {
  if (answer.status !== status) throw unexpected(oauthAdmin, answer)
  const parsed = schema.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(oauthAdmin, answer)
  return parsed.data
}

/** The sentences that precede what the server has to say of every bad field. */
const PREAMBLE = new RegExp(
  '^The value of one (?:of the Client Metadata fields|or more redirect_uris) is invalid' +
    '(?: and the server has rejected this request)?\\.\\s*' +
    '(?:Note that an Authorization Server MAY [^.]*\\.\\s*)?',
)

/** Throws what a refusal of a write means; returns when the answer is none. */
function throwRefusal(answer: UpstreamAnswer): void {
  const refusal = refusalOf(answer)
  if (refusal === undefined) return
  if (answer.status === 409) {
    throw new DomainError('conflict', 'The OAuth2 server has a client with this id already.', {
      hint: 'Try again: a new id is made each time.',
    })
  }
  if (answer.status !== 400) return
  throw new DomainError('oauth_client_refused', 'The OAuth2 server refused the client.', {
    detail: refusal.error_description.replace(PREAMBLE, '').trim().slice(0, 500) || refusal.error,
    // It keeps to itself what is wrong with a sector identifier, which it fetches at every write.
    hint:
      'Nothing was changed. Where sector_identifier_uri is set, the server must be able to fetch it: a JSON array ' +
      'that holds every redirect URI of the client, over https.',
  })
}

function staleToken(): DomainError {
  return new DomainError('invalid_parameter', 'query.page_token: expired, or not a token of this list.', {
    hint: 'Tokens live for an hour. Start again without page_token.',
  })
}
