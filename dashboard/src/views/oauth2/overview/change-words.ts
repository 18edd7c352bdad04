// What an entry of the audit log says, in words. Pure.

import { ownValue } from '../../../parts/own-value.ts'

interface Entry {
  action: string
  target_kind: string
  target_id: string | null
  actor_name: string | null
  actor_kind: string
  before: unknown
  after: unknown
}

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

/** `ada@example.com`, `created client`, `Web shop`. */
export function wordsOf(entry: Entry): { actor: string; did: string; target: string | null } {
  // What an API key does is called the same, with an ending.
  const action = entry.action.replace(/_by_key$/, '')
  return {
    actor: entry.actor_name ?? entry.actor_kind.replace('_', ' '),
    did: ownValue(WORDS, action) ?? entry.action,
    target: nameOf(entry.after) ?? nameOf(entry.before) ?? entry.target_id,
  }
}

/** Where the record is now, if it may be there. */
export function hrefOf({ target_kind: kind, target_id: id, action }: Entry): string | undefined {
  if (id === null || action.includes('.delete')) return undefined
  if (kind === 'oauth_client') return `/oauth2/clients/${encodeURIComponent(id)}`
  if (kind === 'subject') return `/oauth2/consent?${new URLSearchParams({ subject: id })}`
  const slash = id.indexOf('/')
  if (kind === 'signing_key')
    return `/oauth2/keys?${new URLSearchParams({ set: id.slice(0, slash), kid: id.slice(slash + 1) })}`
  return undefined
}

function nameOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null || !('client_name' in record)) return undefined
  return typeof record.client_name === 'string' && record.client_name !== '' ? record.client_name : undefined
}
