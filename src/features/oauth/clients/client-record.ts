// Between the OAuth2 server's words for a client and ours. Pure. An allow-list in both directions: what is not named
// here neither leaves the service nor reaches the server.

import type { WireChange, WireClient } from '../../../clients/oauth-server/client-record.ts'
import type { OAuthClient, OAuthClientIn } from './schemas.ts'
import { lifespansOf, readTtl, TTL_FIELDS } from './token-lifetimes.ts'

/** The record as callers see it; never with a secret. */
export function toOAuthClient(wire: WireClient): OAuthClient {
  return {
    client_id: wire.client_id,
    client_name: wire.client_name,
    grant_types: wire.grant_types,
    response_types: wire.response_types,
    redirect_uris: wire.redirect_uris,
    post_logout_redirect_uris: wire.post_logout_redirect_uris,
    scope: wire.scope,
    token_endpoint_auth_method: wire.token_endpoint_auth_method || 'client_secret_basic',
    audience: wire.audience,
    subject_type: wire.subject_type || 'public',
    sector_identifier_uri: wire.sector_identifier_uri || null,
    metadata: isObject(wire.metadata) ? wire.metadata : {},
    skip_consent: wire.skip_consent,
    skip_logout_consent: wire.skip_logout_consent,
    access_token_ttl: readTtl(wire, 'access_token_ttl'),
    refresh_token_ttl: readTtl(wire, 'refresh_token_ttl'),
    id_token_ttl: readTtl(wire, 'id_token_ttl'),
    access_token_strategy: wire.access_token_strategy || null,
    frontchannel_logout_uri: wire.frontchannel_logout_uri || null,
    frontchannel_logout_session_required: wire.frontchannel_logout_session_required,
    backchannel_logout_uri: wire.backchannel_logout_uri || null,
    backchannel_logout_session_required: wire.backchannel_logout_session_required,
    client_uri: wire.client_uri || null,
    logo_uri: wire.logo_uri || null,
    tos_uri: wire.tos_uri || null,
    policy_uri: wire.policy_uri || null,
    owner: wire.owner || null,
    contacts: wire.contacts,
    created_at: toIso(wire.created_at),
    updated_at: toIso(wire.updated_at),
  }
}

/**
 * The server's fields for what a caller sent; a text is cleared by the empty text, since null in a patch may mean
 * either.
 */
export function toWireChange(input: OAuthClientIn): WireChange {
  const { access_token_ttl, refresh_token_ttl, id_token_ttl, ...fields } = input
  const change: WireChange = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) change[name as keyof typeof fields] = value ?? ''
  }
  for (const ttl of TTL_FIELDS) {
    const seconds = input[ttl]
    if (seconds !== undefined) Object.assign(change, lifespansOf(ttl, seconds))
  }
  return change
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toIso(text: string): string | null {
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString()
}
