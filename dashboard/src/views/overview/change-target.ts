// What a change was made to, and where that is. Pure.

import type { Schema } from '../../api/schema.ts'
import { kindLabel, recordHref, targetName } from '../../parts/audit-targets.ts'

type Change = Schema<'AuditLog'>

/** Of these there is one alone, or a view for all: they are shown without an id. */
const WITHOUT_ID = new Set(['claims_config', 'oauth_server', 'relation_tuples', 'sql'])

/** `db.delete` takes rows: their table is still there. */
const DELETION = /^(identities|oauth_clients|signing_keys|webhooks)\.delete/

/** `href` is undefined where nothing is left to look at, or the record is not known. */
export function changeTarget(change: Change): { text: string; href: string | undefined } {
  const { target_kind: kind, target_id: id, action, outcome } = change
  const isGone = outcome === 'succeeded' && DELETION.test(action)
  const isKnown = id !== null || WITHOUT_ID.has(kind)
  return {
    text: targetName(change) ?? kindLabel(kind),
    href: isKnown && !isGone ? recordHref(kind, id) : undefined,
  }
}
