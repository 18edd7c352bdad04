// One entry beside the list: who did what to what, and what became of it.

import { Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  actorName,
  auditHref,
  changeHref,
  kindLabel,
  recordHref,
  targetName,
} from '../../parts/audit-targets.ts'
import { JsonView } from '../../parts/code-editor.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ownValue } from '../../parts/own-value.ts'
import { requestHref } from '../../parts/request-href.ts'
import { SidePanel } from '../../parts/side-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { CallFacts } from './call-facts.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { Outcome } from './outcome.tsx'
import { type AuditLog, entryQuery } from './queries.ts'

/** Kinds of records that actors are. */
const ACTOR_RECORDS: Record<string, string> = { api_key: 'api_key', session: 'identity' }
const ACTORS = { api_key: 'an API key', session: 'a person', anonymous: 'not signed in' }

/** `of` is undefined where the list has not come to it: it is asked for by its request. */
export function EntryPanel({
  id,
  requestId,
  of: known,
  onClose,
}: {
  id: string
  requestId: string
  of: AuditLog | undefined
  onClose: () => void
}) {
  const isAsked = known === undefined && requestId !== ''
  const query = useQuery({ ...entryQuery(requestId, id), enabled: isAsked })
  const entry = known ?? query.data
  const gone = <p className="text-kumo-subtle">No log entry has this id and request.</p>
  return (
    <SidePanel title={entry?.action ?? 'Entry of the audit log'} onClose={onClose}>
      {entry ? <Entry of={entry} /> : isAsked ? <Loaded query={query}>{() => gone}</Loaded> : gone}
    </SidePanel>
  )
}

/** Of these the log has no states: what was asked for, and what came of it. */
const DEEDS = new Set(['sql', 'table'])

function Entry({ of: entry }: { of: AuditLog }) {
  const { created_at: createdAt, completed_at: completedAt } = entry
  const actor = recordHref(ownValue(ACTOR_RECORDS, entry.actor_kind) ?? '', entry.actor_id)
  const isDeed = DEEDS.has(entry.target_kind)
  return (
    <>
      <Facts>
        <Fact label="Outcome">
          <Outcome of={entry} />
          {entry.error_code !== null && (
            <>
              {' '}
              with <code>{entry.error_code}</code>
            </>
          )}
          {entry.outcome === 'pending' && (
            <span className="block text-kumo-subtle">
              The outcome is unknown: the change may have been made. Check the record.
            </span>
          )}
        </Fact>
        <Fact label="When">
          <Time at={createdAt} withUtc />
          {completedAt !== null && (
            <span className="block text-kumo-subtle">
              took {Date.parse(completedAt) - Date.parse(createdAt)} ms
            </span>
          )}
        </Fact>
        <Fact label="Who">
          {actorName(entry)}, {ACTORS[entry.actor_kind]}
          {entry.actor_id !== null && (
            <Ways>
              <CopyText value={entry.actor_id} label="Copy id of the actor" />
              {actor !== undefined && <Link href={actor}>Show it</Link>}
              <Link href={auditHref({ actor_id: entry.actor_id })}>Only this actor</Link>
            </Ways>
          )}
        </Fact>
        <Fact label="To what">
          <Target of={entry} />
        </Fact>
        <Fact label="From address">{entry.address ?? <None>not known</None>}</Fact>
        <Fact label="Request">
          <CopyText value={entry.request_id} label="Copy request id" />
          <Ways>
            <Link href={requestHref(entry.request_id)}>Everything of this request</Link>
          </Ways>
        </Fact>
      </Facts>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">{isDeed ? 'What was done' : 'What changed'}</h3>
        {isDeed ? <CallFacts of={entry} /> : <DifferenceTable before={entry.before} after={entry.after} />}
      </section>
      {(entry.before !== null || entry.after !== null) && <AsJson of={entry} />}
    </>
  )
}

function Target({ of: entry }: { of: AuditLog }) {
  const { target_id: id, target_kind: kind } = entry
  const href = changeHref(entry)
  const name = targetName(entry)
  return (
    <>
      {kindLabel(kind)}
      {name !== null && name !== id && ` “${name}”`}
      <Ways>
        {id !== null && <CopyText value={id} label="Copy id of the target" />}
        {href !== undefined && <Link href={href}>Show it</Link>}
        <Link href={auditHref({ target_kind: kind, target_id: id })}>Only this target</Link>
      </Ways>
    </>
  )
}

function Ways({ children }: { children: ReactNode }) {
  return <span className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1">{children}</span>
}

/** The editor is loaded by who looks. */
function AsJson({ of: { before, after } }: { of: AuditLog }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-kumo-subtle">As JSON</summary>
      <div className="mt-2">{isOpen && <JsonView value={{ before, after }} label="Before and after" />}</div>
    </details>
  )
}
