import { Input } from '@cloudflare/kumo'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { fromLocalInput, toLocalInput } from '../../parts/local-time.ts'
import { toasts } from '../../parts/toasts.ts'
import { replayFailed, type Webhook } from './queries.ts'

const DAY_MS = 86_400_000

export function ReplayFailedDialog({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  const [since, setSince] = useState(() => toLocalInput(Date.now() - DAY_MS))
  const at = fromLocalInput(since)
  const replay = async () => {
    if (at === undefined) return
    const queued = await replayFailed(webhook.id, at)
    const events = queued === 1 ? '1 event is' : `${queued.toLocaleString('en')} events are`
    const title = queued === 0 ? 'Nothing has failed since then' : `${events} queued again`
    toasts.add({ title, variant: queued === 0 ? 'info' : 'success' })
  }
  return (
    <FormDialog
      title={`Replay failed events of “${webhook.name}”`}
      lead="Queues undelivered events again: dead letters, and events that wait for their next attempt."
      action="Replay failed"
      mayGo={at !== undefined}
      onSubmit={replay}
      onClose={onClose}
    >
      {errorAt => (
        <>
          <Input
            label="Failed since"
            type="datetime-local"
            value={since}
            onChange={event => setSince(event.target.value)}
            error={errorAt('since')}
          />
          {!webhook.active && (
            <p className="text-kumo-subtle">The webhook is paused: all of it is sent when it is resumed.</p>
          )}
        </>
      )}
    </FormDialog>
  )
}
