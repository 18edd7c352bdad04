// The pages of records, which have an id in their address.

import type { StackFacts } from '../../../cli/support/dev-file.ts'

/** Ids of records to visit; without one the first of its list is visited, which others may delete meanwhile. */
export interface OwnRecords {
  client?: string
  webhook?: string
  person?: string
  bucket?: string
  /** Name of a file of that bucket. */
  file?: string
}

/** Fields of the lists' records that stand in addresses. */
interface Listed {
  id: string
  client_id: string
  kid: string
  name: string
  request_id: string
}

/** The addresses of the pages that show one record of each kind. A list that is empty has none. */
export async function recordPagesOf(facts: StackFacts, own: OwnRecords): Promise<string[]> {
  const first = async (list: string): Promise<Listed[]> => {
    const answer = await fetch(facts.base_url + list, {
      headers: { cookie: facts.session_cookie_admin ?? '' },
    })
    // A key set exists from its first key on.
    if (answer.status === 404) return []
    if (!answer.ok) throw new Error(`${list}: ${answer.status} ${await answer.text()}`)
    const body = (await answer.json()) as Listed[] | { data: Listed[] } | { migrations: Listed[] }
    if (Array.isArray(body)) return body.slice(0, 1)
    return ('data' in body ? body.data : body.migrations).slice(0, 1)
  }
  const client = own.client ?? (await first('/api/oauthsrv/clients'))[0]?.client_id
  const person = own.person ?? facts.user_identity_id
  const webhook = own.webhook ?? (await first('/api/webhooks'))[0]?.id
  const pages = [
    `/identities/${person}`,
    `/oauth2/claims?identity=${person}`,
    `/oauth2/consent?subject=${person}`,
  ]
  if (client !== undefined) {
    for (const tab of ['settings', 'tokens', 'credentials', 'danger'])
      pages.push(`/oauth2/clients/${encodeURIComponent(client)}?tab=${tab}`)
    pages.push(`/oauth2/snippets?client=${encodeURIComponent(client)}`)
  }
  if (webhook !== undefined) {
    pages.push(`/webhooks/${webhook}`, `/webhooks/${webhook}?tab=dead-letters`)
    for (const { id } of await first(`/api/webhooks/${webhook}/logs`))
      pages.push(`/webhooks/${webhook}?delivery=${id}`)
  }
  for (const { kid } of await first('/api/oauthsrv/keys/hydra.openid.id-token'))
    pages.push(`/oauth2/keys?kid=${encodeURIComponent(kid)}`)
  for (const { id } of await first('/api/storage/buckets')) {
    const path = `/storage/${encodeURIComponent(own.bucket ?? id)}`
    pages.push(path, `${path}?tab=policies`)
    if (own.file !== undefined) pages.push(`${path}?object=${encodeURIComponent(own.file)}`)
  }
  for (const { id } of await first('/api/projects')) pages.push(`/projects/${id}`)
  for (const { id } of await first('/api/keys')) pages.push(`/keys?key=${id}`)
  for (const { id, request_id } of await first('/api/audit-logs'))
    pages.push(`/audit-log?entry=${id}&entry_request=${encodeURIComponent(request_id)}`)
  for (const { name } of await first('/api/migrations/idempotent/status'))
    pages.push(`/database/migrations?file=${encodeURIComponent(name)}`)
  return pages
}
