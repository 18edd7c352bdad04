// What was done, in words. Pure.

import { ownValue } from '../../../parts/own-value.ts'

const WORDS: Record<string, string> = {
  'oauth_clients.create': 'created client',
  'oauth_clients.update': 'changed client',
  'oauth_clients.delete': 'deleted client',
  'oauth_clients.rotate_secret': 'rotated the secret of client',
  'oauth_clients.configure_tokens': 'changed the tokens of client',
  'tokens.revoke': 'revoked a token of client',
  'tokens.flush': 'deleted ended tokens',
  'signing_keys.create': 'added signing key',
  'signing_keys.delete': 'removed signing key',
  'claims_config.replace': 'changed the claims',
  'consent_sessions.revoke': 'revoked consents of',
  'oauth_server.logout': 'signed out',
}

/** `created client`; an action that has no words is shown as it is. */
export function changeWords(action: string): string {
  // Older entries of API keys have an ending.
  return ownValue(WORDS, action.replace(/_by_key$/, '')) ?? action
}
