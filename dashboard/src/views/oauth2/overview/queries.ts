import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'

export type Change = Schema<'AuditLog'>

/** What the OAuth2 parts write into the audit log; it takes one kind a call. */
const TARGET_KINDS = ['oauth_client', 'signing_key', 'claims_config', 'subject', 'oauth_server']
const CHANGES_SHOWN = 8

/** The last changes, newest first. For administrators. */
export const changesQuery = queryOptions({
  queryKey: ['audit-logs', 'of oauth2'],
  queryFn: async ({ signal }): Promise<Change[]> => {
    const pages = await Promise.all(
      TARGET_KINDS.map(kind => {
        const query = { target_kind: kind, limit: CHANGES_SHOWN }
        return answerOf(api.GET('/api/audit-logs', { params: { query }, signal }))
      }),
    )
    return pages
      .flatMap(({ data }) => data)
      .sort((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(0, CHANGES_SHOWN)
  },
})
