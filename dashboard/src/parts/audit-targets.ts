// What the audit log speaks of, in words, and where its records are shown.

import type { Schema } from '../api/schema.ts'
import { addressOf } from '../app/address.ts'
import { ownValue } from './own-value.ts'

type AuditLog = Schema<'AuditLog'>

interface TargetKind {
  label: string
  /** The address of the record; the view where it has none of its own. */
  href: (id: string) => string
}

/** At the first one: names may hold it too. */
function splitAt(id: string, separator: string): [string, string] {
  const at = id.indexOf(separator)
  return [id.slice(0, at), id.slice(at + 1)]
}

const at = (path: string) => () => path
const under = (path: string) => (id: string) => `${path}/${encodeURIComponent(id)}`

/** By the API's `target_kind`. One that is not here is shown as it is called, without a way to it. */
const KINDS: Record<string, TargetKind> = {
  api_key: { label: 'API key', href: id => `/keys?${new URLSearchParams({ key: id, revoked: 'true' })}` },
  bucket: { label: 'Bucket', href: under('/storage') },
  claims_config: { label: 'Claims', href: at('/oauth2/claims') },
  identity: { label: 'Identity', href: under('/identities') },
  migration: { label: 'Migration', href: id => addressOf('/database/migrations', { file: id }) },
  object: {
    label: 'File',
    href: id => {
      const [bucket, name] = splitAt(id, '/')
      return addressOf(under('/storage')(bucket), { object: name || undefined })
    },
  },
  oauth_client: { label: 'OAuth2 client', href: under('/oauth2/clients') },
  oauth_server: { label: 'OAuth2 server', href: at('/oauth2') },
  project: { label: 'Project', href: under('/projects') },
  relation_tuples: { label: 'Relation tuples', href: at('/permissions') },
  signing_key: {
    label: 'Signing key',
    href: id => {
      const [set, kid] = splitAt(id, '/')
      return addressOf('/oauth2/keys', { set, kid })
    },
  },
  sql: { label: 'SQL', href: at('/database/sql') },
  subject: { label: 'Subject', href: id => `/oauth2/consent?${new URLSearchParams({ subject: id })}` },
  table: {
    label: 'Table',
    href: id => `/database/tables/${splitAt(id, '.').map(encodeURIComponent).join('/')}`,
  },
  webhook: { label: 'Webhook', href: under('/webhooks') },
}

export const TARGET_KINDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(KINDS).map(([kind, { label }]) => [kind, label]),
)

export function kindLabel(kind: string): string {
  return ownValue(KINDS, kind)?.label ?? kind
}

/** Undefined for a kind that no view shows. */
export function recordHref(kind: string, id: string | null): string | undefined {
  return ownValue(KINDS, kind)?.href(id ?? '')
}

/** Of these there is one alone, or a view for all: they are shown without an id. */
const WITHOUT_ID = new Set(['claims_config', 'oauth_server', 'relation_tuples', 'sql'])

/** `db.delete` takes rows: their table is still there. */
const DELETION = /^(identities|oauth_clients|signing_keys|storage|webhooks)\.delete/

/** Where the record of a change is; undefined where nothing is left to look at, or the record is not known. */
export function changeHref({
  target_kind: kind,
  target_id: id,
  action,
  outcome,
}: Pick<AuditLog, 'target_kind' | 'target_id' | 'action' | 'outcome'>): string | undefined {
  const isGone = outcome === 'succeeded' && DELETION.test(action)
  const isKnown = id !== null || WITHOUT_ID.has(kind)
  return isKnown && !isGone ? recordHref(kind, id) : undefined
}

/** What the record was called, where its states say so; else its id. */
export function targetName({
  target_id: id,
  before,
  after,
}: Pick<AuditLog, 'target_id' | 'before' | 'after'>): string | null {
  return nameIn(after) ?? nameIn(before) ?? id
}

function nameIn(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null) return undefined
  const { name, client_name: clientName } = state as Record<string, unknown>
  return [name, clientName].find(text => typeof text === 'string' && text !== '') as string | undefined
}

export function actorName({ actor_name: name, actor_id: id }: AuditLog): string {
  return name ?? id ?? 'unknown'
}

/** An address of the audit log, with these filters. */
export function auditHref(search: Record<string, string | null | undefined>): string {
  const set = Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return `/audit-log?${new URLSearchParams(set)}`
}
