// What all flows have in common at their start: id, times, where they lead back to. Refuses what no flow may ask for.

import { randomUUID } from 'node:crypto'
import { pathAndQuery, queryOf } from '../service/route-table.ts'
import { WireError } from '../service/wire-error.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { findCsrfSecret, renewCsrfSecret } from './csrf-gate.ts'
import { maskCsrfSecret } from './csrf-token.ts'
import type { Flow, FlowKind } from './flow.ts'
import { resolveReturnTo } from './return-to.ts'

type Base = Pick<
  Flow,
  'id' | 'type' | 'expires_at' | 'issued_at' | 'request_url' | 'return_to' | 'organization_id' | 'state'
>

export interface FlowStart {
  readonly base: Base
  readonly action: string
  /** For the form: of the browser's cookie, empty for an app. */
  readonly csrfToken: string
  readonly now: string
}

/**
 * Throws 400 for a `return_to` that is not allowed, 500 for a `login_challenge`: this provider asks no OAuth2 server.
 */
export function startFlow(
  context: IdentityContext,
  c: RequestContext,
  kind: FlowKind,
  type: Flow['type'],
): FlowStart {
  const query = queryOf(c)
  const returnTo = query.get('return_to') ?? ''
  refuseLoginChallenge(query)
  returnUrl(context, returnTo)
  const id = randomUUID()
  const now = new Date()
  const url = context.addresses.publicUrl
  const secret = type === 'browser' ? (findCsrfSecret(context, c) ?? renewCsrfSecret(context, c)) : undefined
  return {
    base: {
      id,
      type,
      expires_at: new Date(now.getTime() + context.flowMs).toISOString(),
      issued_at: now.toISOString(),
      request_url: url + pathAndQuery(c),
      ...(returnTo === '' ? {} : { return_to: returnTo }),
      organization_id: null,
      state: 'choose_method',
    },
    action: `${url}/self-service/${kind}?flow=${id}`,
    csrfToken: secret === undefined ? '' : maskCsrfSecret(secret),
    now: now.toISOString(),
  }
}

/** Where a `return_to` leads: what is allowed, and this server's own flows. */
export function returnUrl(
  { addresses, allowedReturnUrls }: Pick<IdentityContext, 'addresses' | 'allowedReturnUrls'>,
  returnTo: string | undefined,
  fallback = addresses.defaultReturnUrl,
): string {
  const allowed = [...allowedReturnUrls, `${addresses.publicUrl}/self-service`]
  return resolveReturnTo({ allowed, fallback }, returnTo)
}

function refuseLoginChallenge(query: URLSearchParams): void {
  if (!query.has('login_challenge')) return
  throw new WireError(500, {
    id: 'invalid_configuration',
    reason:
      'refusing to parse login_challenge query parameter because oauth2_provider.url is invalid or unset',
    message: 'Invalid configuration',
  })
}
