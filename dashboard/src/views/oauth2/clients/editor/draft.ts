// A client as it is edited: every field as the form holds it. Pure.

import type { Schema } from '../../../../api/schema.ts'
import type { Client } from '../client.ts'

/** Texts and lists of texts; an empty text is no value. `metadata` is JSON as it is typed. */
export interface ClientDraft {
  client_name: string
  grant_types: string[]
  response_types: string[]
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  scope: string[]
  token_endpoint_auth_method: string
  audience: string[]
  subject_type: string
  sector_identifier_uri: string
  skip_consent: boolean
  skip_logout_consent: boolean
  frontchannel_logout_session_required: boolean
  backchannel_logout_session_required: boolean
  client_uri: string
  logo_uri: string
  tos_uri: string
  policy_uri: string
  contacts: string[]
  metadata: string
}

export const EMPTY_DRAFT: ClientDraft = {
  client_name: '',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: [],
  post_logout_redirect_uris: [],
  scope: [],
  token_endpoint_auth_method: 'client_secret_basic',
  audience: [],
  subject_type: 'public',
  sector_identifier_uri: '',
  skip_consent: false,
  skip_logout_consent: false,
  frontchannel_logout_session_required: false,
  backchannel_logout_session_required: false,
  client_uri: '',
  logo_uri: '',
  tos_uri: '',
  policy_uri: '',
  contacts: [],
  metadata: '{}',
}

export function draftOf(client: Client): ClientDraft {
  return {
    client_name: client.client_name,
    grant_types: client.grant_types,
    response_types: client.response_types,
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    scope: client.scope.split(' ').filter(Boolean),
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    audience: client.audience,
    subject_type: client.subject_type,
    sector_identifier_uri: client.sector_identifier_uri ?? '',
    skip_consent: client.skip_consent,
    skip_logout_consent: client.skip_logout_consent,
    frontchannel_logout_session_required: client.frontchannel_logout_session_required,
    backchannel_logout_session_required: client.backchannel_logout_session_required,
    client_uri: client.client_uri ?? '',
    logo_uri: client.logo_uri ?? '',
    tos_uri: client.tos_uri ?? '',
    policy_uri: client.policy_uri ?? '',
    contacts: client.contacts,
    metadata: JSON.stringify(client.metadata, undefined, 2),
  }
}

/** The draft without its empty rows: what is sent, so that the server's row numbers are those of the form. */
export function tidy(draft: ClientDraft): ClientDraft {
  const filled = (rows: string[]) => rows.map(row => row.trim()).filter(Boolean)
  return {
    ...draft,
    redirect_uris: filled(draft.redirect_uris),
    post_logout_redirect_uris: filled(draft.post_logout_redirect_uris),
  }
}

/** Throws where the metadata are no JSON. What is none of the server's words goes there as it is, and it says so. */
export function bodyOf(draft: ClientDraft): Schema<'OAuthClientIn'> {
  const { scope, metadata, sector_identifier_uri, client_uri, logo_uri, tos_uri, policy_uri, ...rest } =
    tidy(draft)
  const body = {
    ...rest,
    // The server reads an empty text as three scopes; null says the same in plain words.
    scope: scope.length === 0 ? null : scope.join(' '),
    sector_identifier_uri: sector_identifier_uri.trim() || null,
    client_uri: client_uri.trim() || null,
    logo_uri: logo_uri.trim() || null,
    tos_uri: tos_uri.trim() || null,
    policy_uri: policy_uri.trim() || null,
    metadata: JSON.parse(metadata.trim() || '{}'),
  }
  return body as Schema<'OAuthClientIn'>
}

/** The fields of the form that mean something else than they did, in its order. */
export function changedFields(from: ClientDraft, to: ClientDraft): (keyof ClientDraft)[] {
  const names = Object.keys(from) as (keyof ClientDraft)[]
  return names.filter(name => meaningOf(from, name) !== meaningOf(to, name))
}

/** The body of a change: what was changed, and nothing that was not. */
export function changeOf(from: ClientDraft, to: ClientDraft): Schema<'OAuthClientPatch'> {
  const changed: readonly string[] = changedFields(from, to)
  return Object.fromEntries(Object.entries(bodyOf(to)).filter(([name]) => changed.includes(name)))
}

function meaningOf(draft: ClientDraft, name: keyof ClientDraft): string {
  if (name === 'metadata') return compactJson(draft.metadata)
  const value = tidy(draft)[name]
  return JSON.stringify(typeof value === 'string' ? value.trim() : value)
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text.trim() || '{}'))
  } catch {
    return text
  }
}
