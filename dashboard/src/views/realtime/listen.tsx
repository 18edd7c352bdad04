// Listens to one table or topic: what comes, who is present, and a broadcast to try it.

import { Button, Empty } from '@cloudflare/kumo'
import { BroadcastIcon, EraserIcon, PaperPlaneTiltIcon, PauseIcon, PlayIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import type { Present } from '../../parts/realtime/channel.ts'
import { LiveState, Refusal } from '../../parts/realtime/live-state.tsx'
import { useChannel } from '../../parts/realtime/use-channel.ts'
import { broadcastEntry, changeEntry, ENTRIES_MAX } from './entries.ts'
import { EntryList } from './entry-list.tsx'
import { PresentList } from './present-list.tsx'
import { SendDialog } from './send-dialog.tsx'
import { type Entries, useEntries } from './use-entries.ts'

/** What is listened to. */
export type Source =
  | { kind: 'table'; schema: string; name: string }
  | { kind: 'topic'; topic: string; isPrivate: boolean }

export function Listen({ projectId, source }: { projectId: string; source: Source }) {
  const entries = useEntries()
  const [present, setPresent] = useState<Present>({})
  const [isSending, setSending] = useState(false)
  const now = () => new Date().toISOString()
  const channel = useChannel(
    source.kind === 'table'
      ? { projectId, topic: 'quoin-dashboard', table: { schema: source.schema, name: source.name } }
      : { projectId, topic: source.topic, isPrivate: source.isPrivate },
    {
      change: change => entries.add(changeEntry(change)),
      broadcast: (event, payload) => entries.add(broadcastEntry(event, payload, now())),
      presence: (everybody, happened) => {
        setPresent(everybody)
        if (happened !== undefined)
          entries.add({
            at: now(),
            kind: happened.event,
            words: happened.key,
            values: { Tracks: happened.metas },
          })
      },
      refetch: reason =>
        entries.add({ at: now(), kind: 'refetch', words: REFETCH, values: { Reason: reason ?? REFETCH } }),
      notice: message =>
        entries.add({ at: now(), kind: 'error', words: message, values: { Message: message } }),
    },
  )
  const name = source.kind === 'table' ? `${source.schema}.${source.name}` : source.topic
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span role="status" className="flex min-w-0 flex-wrap items-center gap-x-4">
          <LiveState of={channel.state} />
        </span>
        <code className="min-w-0 wrap-anywhere">{name}</code>
        <div className="ml-auto flex flex-wrap items-center gap-2">
          <Toolbar of={entries} />
          {source.kind === 'topic' && (
            <Button
              variant="primary"
              icon={PaperPlaneTiltIcon}
              disabled={channel.state.kind !== 'live'}
              onClick={() => setSending(true)}
            >
              Send broadcast
            </Button>
          )}
        </div>
      </div>
      <Refusal of={channel.state} onAgain={channel.again} />
      {source.kind === 'topic' && channel.state.kind === 'live' && <PresentList of={present} />}
      {entries.shown.length > 0 ? (
        <EntryList entries={entries.shown} label={`What came of ${name}`} />
      ) : (
        channel.state.kind === 'live' && (
          <Empty
            icon={<BroadcastIcon size={40} />}
            title="Nothing has come yet"
            description={WAITING[source.kind]}
          />
        )
      )}
      {isSending && source.kind === 'topic' && (
        <SendDialog topic={source.topic} onSend={channel.send} onClose={() => setSending(false)} />
      )}
    </>
  )
}

const REFETCH = 'Changes before this one may be missing.'

const WAITING: Readonly<Record<Source['kind'], string>> = {
  table: 'Each row that is inserted, updated or deleted is here as soon as it is committed.',
  topic: 'Broadcasts are here as they are sent, and who comes and leaves. Send one to try it.',
}

function Toolbar({ of: { shown, waiting, isPaused, pause, clear } }: { of: Entries }) {
  return (
    <>
      <span className="text-kumo-subtle tabular-nums">
        {isPaused && waiting > 0
          ? `${countText(waiting)} waiting`
          : shown.length > 0 && countText(shown.length)}
      </span>
      <Button icon={isPaused ? PlayIcon : PauseIcon} onClick={() => pause(!isPaused)}>
        {isPaused ? 'Continue' : 'Pause'}
      </Button>
      <Button icon={EraserIcon} disabled={shown.length === 0} onClick={clear}>
        Clear
      </Button>
    </>
  )
}

function countText(count: number): string {
  if (count >= ENTRIES_MAX) return `the newest ${ENTRIES_MAX}`
  return count === 1 ? '1 entry' : `${count} entries`
}
