// The switch that shows changes as they happen, and what is said of them.

import { Banner, Button, Switch, Tooltip } from '@cloudflare/kumo'
import { WarningIcon } from '@phosphor-icons/react'
import { KINDS } from '../../../parts/database/table-facts.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import type { ChannelState } from '../../../parts/realtime/channel.ts'
import { LiveState, Refusal } from '../../../parts/realtime/live-state.tsx'
import { UNSEEN_MAX } from './live-page.ts'
import type { Table } from './queries.ts'
import { isWatchable, type LiveRows } from './use-live-rows.ts'

export function LiveBar({
  of: live,
  table,
  isOn,
  onSwitch,
}: {
  of: LiveRows
  table: Table
  isOn: boolean
  onSwitch: (isOn: boolean) => void
}) {
  if (!isWatchable(table))
    return (
      <Tooltip
        content={`The changes of a ${KINDS[table.kind].toLowerCase()} cannot be followed: follow its tables.`}
        render={
          <span>
            <Switch label="Live" checked={false} disabled />
          </span>
        }
      />
    )
  const words = isOn ? newWords(live) : ''
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2">
      <Switch label="Live" checked={isOn} onCheckedChange={onSwitch} />
      <span role="status" className="flex min-w-0 flex-wrap items-center gap-x-4">
        {isOn && <LiveState of={stateOf(live)} />}
        {isOn && live.wasIncomplete && <span>Changes may have been missed: the rows were read again.</span>}
        {words !== '' && <span>{words}</span>}
      </span>
      {isOn && live.unseen > 0 && (
        <Button size="sm" onClick={live.show}>
          Show
        </Button>
      )}
    </div>
  )
}

/** The project is looked up first. */
function stateOf({ channel: { state }, hasProject, projectError }: LiveRows): ChannelState {
  return state.kind === 'off' && hasProject && projectError === null ? { kind: 'connecting' } : state
}

function newWords({ unseen, tellsRowsApart, elsewhere }: LiveRows): string {
  const count = `${unseen.toLocaleString('en')}${unseen >= UNSEEN_MAX ? ' or more' : ''}`
  if (unseen > 0 && !tellsRowsApart) return unseen === 1 ? '1 change' : `${count} changes`
  if (unseen > 0) return unseen === 1 ? '1 new row' : `${count} new rows`
  if (elsewhere === 0) return ''
  const [rows, are] = elsewhere === 1 ? ['row', 'is'] : ['rows', 'are']
  return `${elsewhere.toLocaleString('en')} new ${rows} ${are} not on this page`
}

export function LiveMessages({ of: { channel, hasProject, projectError } }: { of: LiveRows }) {
  return (
    <>
      {!hasProject && (
        <Banner
          variant="alert"
          icon={<WarningIcon weight="fill" />}
          title="Not live: there is no project"
          description="A connection belongs to a project. Create one, or switch this off."
        />
      )}
      <ErrorNotice error={projectError} title="Not live: the projects cannot be read" />
      <Refusal of={channel.state} onAgain={channel.again} />
    </>
  )
}
