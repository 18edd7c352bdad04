// What changed last, from the audit log.

import { LayerCard, Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { changeHref, kindLabel, targetName } from '../../parts/audit-targets.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { lastChangesQuery } from './queries.ts'

export function LastChanges() {
  const { is_admin: isAdmin } = useSession()
  const query = useQuery({ ...lastChangesQuery, enabled: isAdmin })
  return (
    <Section title="Last changes" actions={isAdmin && <Link href="/audit-log">Open the audit log</Link>}>
      {isAdmin ? (
        <Loaded query={query}>{changes => <Changes of={changes} />}</Loaded>
      ) : (
        <p className="text-kumo-subtle">The audit log, which says who changed what, is for administrators.</p>
      )}
    </Section>
  )
}

function Changes({ of: changes }: { of: readonly Schema<'AuditLog'>[] }) {
  if (changes.length === 0)
    return (
      <p className="text-kumo-subtle">
        No changes yet. Every change made through Quoin appears here, with who made it.
      </p>
    )
  return (
    <LayerCard className="p-0">
      <ul className="divide-y divide-kumo-hairline">
        {changes.map(change => (
          <Change key={change.id} of={change} />
        ))}
      </ul>
    </LayerCard>
  )
}

function Change({ of: change }: { of: Schema<'AuditLog'> }) {
  const { id, request_id: request, action, actor_name: actor, actor_id: actorId, outcome } = change
  const text = targetName(change) ?? kindLabel(change.target_kind)
  const href = changeHref(change)
  return (
    <li className="flex flex-col gap-0.5 px-4 py-2 wrap-anywhere">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <Link
          href={`/audit-log?${new URLSearchParams({ entry: id, entry_request: request })}`}
          variant="current"
          className="code-text"
        >
          {action}
        </Link>
        {href === undefined ? <span>{text}</span> : <Link href={href}>{text}</Link>}
      </span>
      <span className="flex flex-wrap gap-x-3 text-sm text-kumo-subtle">
        <span className="min-w-0 truncate">{actor ?? actorId ?? 'unknown'}</span>
        {outcome !== 'succeeded' && <span>{outcome === 'failed' ? 'failed' : 'outcome unknown'}</span>}
        <Time at={change.created_at} />
      </span>
    </li>
  )
}
