// Lists of our clients: all of them, or one page. The answer is made here, since two endpoints give it.

import {
  CLIENTS_PER_PAGE_MAX,
  type ClientListCall,
  type ClientPage,
  listClientPage,
} from '../../../clients/oauth-server/clients.ts'
import { LIST_MIB_MAX, readWholeList } from '../../../clients/whole-list.ts'
import { DomainError } from '../../../errors.ts'
import { toOAuthClient } from './client-record.ts'
import { isOwnClient, type OAuthClientDeps } from './own-client.ts'
import type { OAuthClient, OAuthClientListQuery } from './schemas.ts'

/** More in one answer would take tens of megabytes of an isolate's memory. */
export const CLIENTS_MAX = 10_000
const PAGE_SIZE_DEFAULT = 100

/** Clients by id, and where one page was asked for, the token of the next. */
export interface OAuthClientListing {
  clients: OAuthClient[]
  /** Undefined for the whole list. */
  page: { size: number; nextToken: string | undefined } | undefined
}

/**
 * Every client of ours or, with a size or a token, one page. Throws `response_too_large` for a whole list that is
 * too long, and `invalid_parameter` for a token that is expired.
 */
export async function listOAuthClients(
  deps: OAuthClientDeps,
  query: OAuthClientListQuery,
): Promise<OAuthClientListing> {
  if (query.page_size === undefined && query.page_token === undefined)
    return { clients: await listAll(deps), page: undefined }
  const size = query.page_size ?? PAGE_SIZE_DEFAULT
  const page = await readPage(deps, { pageSize: size, pageToken: query.page_token })
  return { clients: ownOf(deps, page), page: { size, nextToken: page.nextPageToken } }
}

async function listAll(deps: OAuthClientDeps): Promise<OAuthClient[]> {
  const clients = await readWholeList(
    async ({ size, token }) => {
      const page = await readPage(deps, { pageSize: size, pageToken: token })
      return { ...page, items: ownOf(deps, page) }
    },
    { pageSizeMax: CLIENTS_PER_PAGE_MAX, itemsMax: CLIENTS_MAX },
  )
  if (clients !== undefined) return clients
  throw new DomainError(
    'response_too_large',
    `The clients are too many for one answer: over ${CLIENTS_MAX}, or over ${LIST_MIB_MAX} MiB.`,
    { hint: 'Read them in pages: ?page_size=100, then the rel="next" link of each answer.' },
  )
}

function readPage({ upstreams, config }: OAuthClientDeps, call: ClientListCall): Promise<ClientPage> {
  return listClientPage(upstreams.oauthAdmin, { ...call, owner: config.oauthClientOwner })
}

/** The server filters by owner already; a proxy that drops the parameter must not show other owners' clients. */
function ownOf({ config }: OAuthClientDeps, { items }: ClientPage): OAuthClient[] {
  return items.filter(client => isOwnClient(config, client)).map(toOAuthClient)
}

/** What both endpoints say of their list. */
export const CLIENT_LIST_DESCRIPTION =
  `All of them, up to ${CLIENTS_MAX}; or one page with page_size, where the Link ` +
  'header leads to the next. Secrets are never shown.'

/**
 * The list as it is answered under `path`: a plain array and, for a page, the `Link` header. Throws as
 * `listOAuthClients`.
 */
export async function answerClientList(
  deps: OAuthClientDeps,
  query: OAuthClientListQuery,
  path: string,
): Promise<OAuthClient[] | Response> {
  const { clients, page } = await listOAuthClients(deps, query)
  return page ? Response.json(clients, { headers: { link: linkHeader(path, page) } }) : clients
}

/** The `Link` header of one page (RFC 8288), with addresses of ours. */
export function linkHeader(
  path: string,
  { size, nextToken }: NonNullable<OAuthClientListing['page']>,
): string {
  const first = `<${path}?page_size=${size}>; rel="first"`
  if (nextToken === undefined) return first
  return `${first}, <${path}?page_size=${size}&page_token=${encodeURIComponent(nextToken)}>; rel="next"`
}
