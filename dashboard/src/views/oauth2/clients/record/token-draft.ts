// The token configuration as it is edited. Pure.

import type { Schema } from '../../../../api/schema.ts'
import type { Client } from '../client.ts'
import { type Lifetime, lifetimeOf, secondsOf } from './lifetimes.ts'

export interface TokenDraft {
  access_token_ttl: Lifetime
  refresh_token_ttl: Lifetime
  id_token_ttl: Lifetime
  /** `default` leaves it to the server. */
  access_token_strategy: string
  frontchannel_logout_uri: string
  backchannel_logout_uri: string
}

export function tokenDraftOf(client: Client): TokenDraft {
  return {
    access_token_ttl: lifetimeOf(client.access_token_ttl, 'minutes'),
    refresh_token_ttl: lifetimeOf(client.refresh_token_ttl, 'days'),
    id_token_ttl: lifetimeOf(client.id_token_ttl, 'minutes'),
    access_token_strategy: client.access_token_strategy ?? 'default',
    frontchannel_logout_uri: client.frontchannel_logout_uri ?? '',
    backchannel_logout_uri: client.backchannel_logout_uri ?? '',
  }
}

function configOf(draft: TokenDraft): Record<keyof TokenDraft, string | number | null> {
  return {
    access_token_ttl: secondsOf(draft.access_token_ttl),
    refresh_token_ttl: secondsOf(draft.refresh_token_ttl),
    id_token_ttl: secondsOf(draft.id_token_ttl),
    access_token_strategy: draft.access_token_strategy === 'default' ? null : draft.access_token_strategy,
    frontchannel_logout_uri: draft.frontchannel_logout_uri.trim() || null,
    backchannel_logout_uri: draft.backchannel_logout_uri.trim() || null,
  }
}

/** Fields that would be another value after saving. */
export function changedTokenFields(client: Client, draft: TokenDraft): (keyof TokenDraft)[] {
  const config = configOf(draft)
  return (Object.keys(config) as (keyof TokenDraft)[]).filter(name => config[name] !== client[name])
}

/** What was changed, and nothing that was not. */
export function tokenChangeOf(client: Client, draft: TokenDraft): Schema<'TokenConfig'> {
  const config = configOf(draft)
  return Object.fromEntries(changedTokenFields(client, draft).map(name => [name, config[name]]))
}
