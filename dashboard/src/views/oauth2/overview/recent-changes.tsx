import { LayerCard, Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../../api/session.ts'
import { changeHref, targetName } from '../../../parts/audit-targets.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { changeWords } from './change-words.ts'
import { type Change, changesQuery } from './queries.ts'

/** The last changes of everything OAuth2, from the audit log. */
export function RecentChanges() {
  const { is_admin: isAdmin } = useSession()
  return (
    <Section title="Recent changes" lead={isAdmin ? 'Newest first, from the audit log.' : undefined}>
      {isAdmin ? (
        <Changes />
      ) : (
        <p className="text-kumo-subtle">
          The audit log is for administrators, so what changed last is not shown. Your role at the identity
          provider (metadata_public.role) is not “admin”.
        </p>
      )}
    </Section>
  )
}

function Changes() {
  const query = useQuery(changesQuery)
  return (
    <Loaded query={query}>
      {changes =>
        changes.length === 0 ? (
          <p className="text-kumo-subtle">
            No changes yet. Clients, keys, claims and revocations will show here.
          </p>
        ) : (
          <LayerCard className="px-4 py-2">
            <ol>
              {changes.map(change => (
                <Entry key={change.id} of={change} />
              ))}
            </ol>
          </LayerCard>
        )
      }
    </Loaded>
  )
}

function Entry({ of: change }: { of: Change }) {
  const target = targetName(change)
  const href = changeHref(change)
  return (
    <li className="group grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
      <span aria-hidden="true" className="flex flex-col items-center">
        <span className="h-3.5 w-px bg-kumo-line group-first:bg-transparent" />
        <span className="size-2 rounded-full bg-kumo-contrast opacity-40" />
        <span className="w-px flex-1 bg-kumo-line group-last:bg-transparent" />
      </span>
      <div className="py-1.5 wrap-anywhere">
        <span className="text-kumo-subtle">{change.actor_name ?? change.actor_kind.replace('_', ' ')}</span>{' '}
        {changeWords(change.action)}{' '}
        {target !== null && (href === undefined ? target : <Link href={href}>{target}</Link>)}
        <span className="flex flex-wrap gap-x-3 text-sm text-kumo-subtle">
          <Time at={change.created_at} />
          {change.outcome === 'failed' && <State tone="bad">Failed: {change.error_code}</State>}
          {change.outcome === 'pending' && <State tone="attention">Outcome unknown</State>}
          <Link
            href={`/audit-log?${new URLSearchParams({ request_id: change.request_id })}`}
            className="text-kumo-subtle"
          >
            Entry
          </Link>
        </span>
      </div>
    </li>
  )
}
