import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { claimsQuery } from '../../../parts/oauth/queries.ts'

export type ClaimsConfig = Schema<'ClaimsConfig'>
export type ClaimsPreview = Schema<'ClaimsPreview'>

/** Sends what has changed alone: a map that is left out stays as it is, whatever somebody else made of it. */
export async function saveClaims(before: ClaimsConfig, after: ClaimsConfig): Promise<void> {
  const body = {
    ...(isSame(before.id_token_claims, after.id_token_claims)
      ? {}
      : { id_token_claims: after.id_token_claims }),
    ...(isSame(before.access_token_claims, after.access_token_claims)
      ? {}
      : { access_token_claims: after.access_token_claims }),
  }
  const saved = await answerOf(api.PUT('/api/oauthsrv/claims-config', { body }))
  queryClient.setQueryData(claimsQuery.queryKey, saved)
}

export function isSameConfig(a: ClaimsConfig, b: ClaimsConfig): boolean {
  return isSame(a.id_token_claims, b.id_token_claims) && isSame(a.access_token_claims, b.access_token_claims)
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name])
}

/** What somebody's tokens would carry with this configuration. The server checks it as it does when it is saved. */
export function previewQuery(identityId: string, scopes: readonly string[], config: ClaimsConfig) {
  return queryOptions({
    queryKey: ['oauth2', 'claims', 'preview', identityId, scopes, config],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/api/oauthsrv/claims-config/preview', {
          body: { identity_id: identityId, scopes: [...scopes], config },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  })
}
