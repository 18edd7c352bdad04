// The pages of records, which have an id in their address: of the first record that each list of a stack has.

import type { StackFacts } from '../../../local/dev-file.ts'

/** Fields of the lists' records that stand in addresses. */
interface Listed {
  id: string
  client_id: string
  kid: string
  name: string
  request_id: string
}

/** The addresses of the pages that show one record. A list that is empty has none. */
export async function recordPagesOf(facts: StackFacts): Promise<string[]> {
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
  const pages: string[] = []
  for (const { client_id } of await first('/api/oauthsrv/clients')) {
    for (const tab of ['settings', 'tokens', 'credentials', 'danger'])
      pages.push(`/oauth2/clients/${encodeURIComponent(client_id)}?tab=${tab}`)
    pages.push(`/oauth2/snippets?client=${encodeURIComponent(client_id)}`)
  }
  for (const { kid } of await first('/api/oauthsrv/keys/hydra.openid.id-token'))
    pages.push(`/oauth2/keys?kid=${encodeURIComponent(kid)}`)
  for (const { id } of await first('/api/auth/identities'))
    pages.push(`/identities/${id}`, `/oauth2/claims?identity=${id}`)
  pages.push(`/oauth2/consent?subject=${facts.user_identity_id}`)
  for (const { id } of await first('/api/webhooks')) {
    pages.push(`/webhooks/${id}`, `/webhooks/${id}?tab=dead-letters`)
    for (const delivery of await first(`/api/webhooks/${id}/logs`))
      pages.push(`/webhooks/${id}?delivery=${delivery.id}`)
  }
  for (const { id } of await first('/api/keys')) pages.push(`/keys?key=${id}`)
  for (const { id, request_id } of await first('/api/audit-logs'))
    pages.push(`/audit-log?entry=${id}&entry_request=${encodeURIComponent(request_id)}`)
  for (const { name } of await first('/api/migrations/idempotent/status'))
    pages.push(`/database/migrations?file=${encodeURIComponent(name)}`)
  return pages
}
