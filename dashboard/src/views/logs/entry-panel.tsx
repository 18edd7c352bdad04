// One entry beside the list: all that is known of it, and the ways from it.

import { Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { addressOf } from '../../app/address.ts'
import { auditHref, recordHref } from '../../parts/audit-targets.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { requestHref } from '../../parts/request-href.ts'
import { SidePanel } from '../../parts/side-panel.tsx'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'
import { type EntryPlace, entryQuery, type LogEntry } from './queries.ts'
import { resultOf, SOURCES, took } from './words.ts'

type KeyNames = Readonly<Record<string, string>>

/** `of` is undefined where the list has not come to it: it is asked for by its time. */
export function EntryPanel({
  at,
  of: known,
  keyNames,
  onClose,
}: {
  at: EntryPlace
  of: LogEntry | undefined
  keyNames: KeyNames
  onClose: () => void
}) {
  const isAsked = known === undefined && !Number.isNaN(Date.parse(at.time))
  const query = useQuery({ ...entryQuery(at), enabled: isAsked })
  const entry = known ?? query.data
  const gone = (
    <p className="text-kumo-subtle">
      No entry has this id and time. Requests are kept for seven days, deliveries for 30.
    </p>
  )
  return (
    <SidePanel title={entry?.name ?? 'Entry of the logs'} onClose={onClose}>
      {entry ? (
        <Entry of={entry} keyNames={keyNames} />
      ) : isAsked ? (
        <Loaded query={query}>{() => gone}</Loaded>
      ) : (
        gone
      )}
    </SidePanel>
  )
}

function Entry({ of: entry, keyNames }: { of: LogEntry; keyNames: KeyNames }) {
  const { tone, words } = resultOf(entry)
  return (
    <Facts>
      <Fact label="Kind">{SOURCES[entry.source]}</Fact>
      <Fact label="Result">
        <State tone={tone}>{words}</State>
      </Fact>
      <Fact label="When">
        <Time at={entry.time} withUtc />
      </Fact>
      <Fact label="Took">
        {entry.duration_ms === null ? <None>not known</None> : took(entry.duration_ms)}
      </Fact>
      {entry.source === 'request' && (
        <Fact label="Route">
          <code>{entry.name}</code>
          <Ways>
            <Link href={addressOf('/logs', { source: 'request', route: entry.name })}>Only this route</Link>
          </Ways>
        </Fact>
      )}
      {entry.source === 'audit' && <ChangeFacts of={entry} />}
      {entry.source === 'delivery' && <DeliveryFacts of={entry} />}
      {entry.key_id !== null && (
        <Fact label="API key">
          {keyNames[entry.key_id]}
          <Ways>
            <CopyText value={entry.key_id} label="Copy id of the key" />
            <Link href={recordHref('api_key', entry.key_id) ?? '/keys'}>Show it</Link>
            <Link href={addressOf('/logs', { key_id: entry.key_id })}>Only this key</Link>
          </Ways>
        </Fact>
      )}
      <Fact label="Request">
        {entry.request_id === null ? (
          <None />
        ) : (
          <>
            <CopyText value={entry.request_id} label="Copy request id" />
            <Ways>
              <Link href={requestHref(entry.request_id)}>Everything of this request</Link>
            </Ways>
          </>
        )}
      </Fact>
    </Facts>
  )
}

function ChangeFacts({ of: { name, id, request_id: request, target_id: target } }: { of: LogEntry }) {
  return (
    <>
      <Fact label="Action">
        <code>{name}</code>
        <Ways>
          <Link href={auditHref({ entry: id, entry_request: request })}>What changed, in the audit log</Link>
        </Ways>
      </Fact>
      <Fact label="To what">
        {target === null ? <None>not known</None> : <CopyText value={target} label="Copy id of the target" />}
      </Fact>
    </>
  )
}

function DeliveryFacts({ of: { name, id, target_id: webhook } }: { of: LogEntry }) {
  return (
    <>
      <Fact label="Event">
        <code>{name}</code>
      </Fact>
      {webhook !== null && (
        <Fact label="Webhook">
          <CopyText value={webhook} label="Copy id of the webhook" />
          <Ways>
            <Link href={addressOf(`/webhooks/${encodeURIComponent(webhook)}`, { delivery: id })}>
              What was sent, and the answer
            </Link>
          </Ways>
        </Fact>
      )}
    </>
  )
}

function Ways({ children }: { children: ReactNode }) {
  return <span className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1">{children}</span>
}
