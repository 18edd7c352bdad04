// The identity provider's admin API (the Kratos wire, contracts of its admin port): who there is, where somebody is
// signed in, and ending that. Credentials are never asked for, and are dropped where the server sends them unasked.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from './http.ts'
import { Identity, SessionFacts } from './identity.ts'
import { nextPageToken } from './link-header.ts'

/** An identity as administrators see it: with its second set of metadata, and without credentials. */
export const AdminIdentity = Identity.extend({
  schema_id: z.string().default(''),
  recovery_addresses: z
    .array(z.looseObject({ value: z.string() }))
    .nullish()
    .transform(addresses => addresses ?? []),
  metadata_admin: z.unknown().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
}).transform(({ credentials: _secret, ...identity }) => identity)
export type AdminIdentity = z.infer<typeof AdminIdentity>

/** A session as the admin API lists it: without its identity. */
export const ListedSession = SessionFacts.extend({
  issued_at: z.string().optional(),
  devices: z
    .array(
      z.looseObject({
        ip_address: z.string().optional(),
        user_agent: z.string().optional(),
        location: z.string().optional(),
      }),
    )
    .nullish()
    .transform(devices => devices ?? []),
})
export type ListedSession = z.infer<typeof ListedSession>

/** A session by its id: with whose it is. */
export const AdminSession = ListedSession.extend({ identity: z.looseObject({ id: z.string().min(1) }) })
export type AdminSession = z.infer<typeof AdminSession>

/** Ids of identities and sessions are UUIDs, of whatever version; nothing else is ever sent. */
const isProviderId = (id: string) => z.guid().safeParse(id).success

/** The identity with this id; undefined when there is none, as for a text that is no UUID, which is not sent. */
export async function getIdentity(identityAdmin: Upstream, id: string): Promise<AdminIdentity | undefined> {
  if (!isProviderId(id)) return undefined
  const answer = await callUpstream(identityAdmin, { method: 'GET', path: `/admin/identities/${id}` })
  return processGetIdentity(identityAdmin, answer)
}

/** The provider's own 404; a gateway's or a web server's is a page, and means that the address is wrong. */
const NotFound = z.looseObject({ error: z.looseObject({ code: z.literal(404) }) })

/** What an answer to `getIdentity` means: 404 is nobody, but only in the provider's own words. */
export function processGetIdentity(
  identityAdmin: Upstream,
  answer: UpstreamAnswer,
): AdminIdentity | undefined {
  return isNobody(answer) ? undefined : parseAnswer(identityAdmin, answer, AdminIdentity)
}

function isNobody({ status, json }: UpstreamAnswer): boolean {
  return status === 404 && NotFound.safeParse(json).success
}

/** The most ids that one list may ask for: the `Link` header repeats each, and grows beyond what clients read. */
export const IDENTITY_IDS_MAX = 200
/** The server cuts a larger page to this without saying so. */
export const IDENTITIES_PER_PAGE_MAX = 500

export interface IdentityListCall {
  pageSize: number
  /** From `nextPageToken` of the page before. */
  pageToken?: string | undefined
  /** UUIDs, at most `IDENTITY_IDS_MAX`; unknown ones are left out. Not beside `credentialsIdentifier`. */
  ids?: readonly string[] | undefined
  /** What somebody signs in with, in any letter case. */
  credentialsIdentifier?: string | undefined
}

export interface IdentityPage {
  identities: AdminIdentity[]
  /** Undefined on the last page. */
  nextPageToken: string | undefined
}

/** What `listIdentities` knows of a page; or that the server does not take the page token any more. */
export type IdentityListAnswer = ({ outcome: 'page' } & IdentityPage) | { outcome: 'refused_token' }

/** One page of identities, in the order of their ids. */
export async function listIdentities(
  identityAdmin: Upstream,
  call: IdentityListCall,
): Promise<IdentityListAnswer> {
  const answer = await callUpstream(identityAdmin, {
    method: 'GET',
    path: '/admin/identities',
    query: {
      page_size: String(call.pageSize),
      page_token: call.pageToken,
      ids: call.ids,
      credentials_identifier: call.credentialsIdentifier,
    },
  })
  return processListIdentities(identityAdmin, answer, call)
}

/** What an answer to `listIdentities` means. With a token, 400 is about the token: all else was checked before. */
export function processListIdentities(
  identityAdmin: Upstream,
  answer: UpstreamAnswer,
  { pageToken }: Pick<IdentityListCall, 'pageToken'>,
): IdentityListAnswer {
  if (answer.status === 400 && pageToken !== undefined) return { outcome: 'refused_token' }
  const identities = parseAnswer(identityAdmin, answer, listOf(AdminIdentity))
  return { outcome: 'page', identities, nextPageToken: nextPageToken(answer.headers) }
}

/** The newest active sessions of an identity, at most `max`; none for an id that nobody has. */
export async function listActiveSessions(
  identityAdmin: Upstream,
  id: string,
  max: number,
): Promise<ListedSession[]> {
  if (!isProviderId(id)) return []
  const answer = await callUpstream(identityAdmin, {
    method: 'GET',
    path: `/admin/identities/${id}/sessions`,
    // Page 1 is the first here, other than in the list of identities.
    query: { active: 'true', page: '1', per_page: String(max) },
  })
  return processListActiveSessions(identityAdmin, answer).slice(0, max)
}

/** What an answer to `listActiveSessions` means. Sessions of a disabled identity are listed, but are not active. */
export function processListActiveSessions(identityAdmin: Upstream, answer: UpstreamAnswer): ListedSession[] {
  return parseAnswer(identityAdmin, answer, listOf(ListedSession)).filter(session => session.active)
}

/** The session with this id, ended or not; undefined as for `getIdentity`. */
export async function getSession(identityAdmin: Upstream, id: string): Promise<AdminSession | undefined> {
  if (!isProviderId(id)) return undefined
  const answer = await callUpstream(identityAdmin, {
    method: 'GET',
    path: `/admin/sessions/${id}`,
    query: { expand: ['identity', 'devices'] },
  })
  return isNobody(answer) ? undefined : parseAnswer(identityAdmin, answer, AdminSession)
}

/** Ends one session. False when the server has none of this id, as for a text that is no UUID. */
export async function endSession(identityAdmin: Upstream, id: string): Promise<boolean> {
  return isProviderId(id) && (await endAt(identityAdmin, `/admin/sessions/${id}`))
}

/** Ends all sessions of an identity, and forgets them. False when the server knows of none. */
export async function endSessionsOf(identityAdmin: Upstream, identityId: string): Promise<boolean> {
  return isProviderId(identityId) && (await endAt(identityAdmin, `/admin/identities/${identityId}/sessions`))
}

async function endAt(identityAdmin: Upstream, path: string): Promise<boolean> {
  return processEnd(identityAdmin, await callUpstream(identityAdmin, { method: 'DELETE', path }))
}

/** What an answer to `endSession` and `endSessionsOf` means: 404 is nothing to end, in the provider's own words. */
export function processEnd(identityAdmin: Upstream, answer: UpstreamAnswer): boolean {
  if (answer.status === 204) return true
  if (isNobody(answer)) return false
  throw unexpected(identityAdmin, answer)
}

/** Go writes an empty list as `null` here and there. */
function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullable()
    .transform(list => list ?? [])
}

function parseAnswer<Schema extends z.ZodType>(
  identityAdmin: Upstream,
  answer: UpstreamAnswer,
  schema: Schema,
): z.output<Schema> {
  if (answer.status !== 200) throw unexpected(identityAdmin, answer)
  const parsed = schema.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(identityAdmin, answer)
  return parsed.data
}
