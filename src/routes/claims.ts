// Which claims tokens carry beside the standard ones.

import { readClaimsConfig } from '../features/oauth/claims/claims-store.ts'
import { ClaimsPreview, ClaimsPreviewIn, previewClaims } from '../features/oauth/claims/preview-claims.ts'
import { replaceClaimsConfig } from '../features/oauth/claims/replace-claims-config.ts'
import { CLAIMS_CONFIG_EXAMPLE, ClaimsConfig, ClaimsConfigPatch } from '../features/oauth/claims/schemas.ts'
import { defineRoute } from '../http/route.ts'

export const claimsConfigRoutes = [
  defineRoute({
    id: 'claims_config.read',
    method: 'get',
    mounts: { '/api/oauthsrv/claims-config': 'session' },
    summary: 'Read the claims configuration',
    response: ClaimsConfig,
    handle: ({ deps }) => readClaimsConfig(deps),
  }),
  defineRoute({
    id: 'claims_config.replace',
    method: 'put',
    mounts: { '/api/oauthsrv/claims-config': 'session' },
    summary: 'Set which claims tokens carry, from the next consent on',
    description:
      'A template that is exactly one `{{path}}` keeps the JSON type of the value; in mixed text values are ' +
      'inserted. Paths: `traits.*`, `metadata_public.*`, `id`; a path that leads to nothing leaves its claim out. ' +
      'Claims of the OAuth2 server itself (`iss`, `sub`, `aud`, ...) are refused. A map that is left out stays as ' +
      'it is; one of the two must be there.',
    body: ClaimsConfigPatch,
    example: CLAIMS_CONFIG_EXAMPLE,
    response: ClaimsConfig,
    handle: ({ deps, body, caller }) => replaceClaimsConfig(deps, body, caller),
  }),
  defineRoute({
    id: 'claims_config.preview',
    method: 'post',
    mounts: { '/api/oauthsrv/claims-config/preview': 'session' },
    summary: "Show which claims a person's tokens would carry",
    description: 'Exactly what the consent bridge would send. Stores nothing.',
    body: ClaimsPreviewIn,
    example: {
      identity_id: '9f1c2d3e-0000-4000-8000-000000000000',
      scopes: ['openid', 'email'],
      config: CLAIMS_CONFIG_EXAMPLE,
    },
    response: ClaimsPreview,
    unaudited: 'no_change',
    handle: ({ deps, body }) => previewClaims(deps, body),
  }),
]
