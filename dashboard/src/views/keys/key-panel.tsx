// One key beside the list: what is known of it, and what can be done with it.

import { Button, Input, Link } from '@cloudflare/kumo'
import { useState } from 'react'
import { addressOf } from '../../app/address.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { KeyState } from '../../parts/keys/key-state.tsx'
import { shownKey } from '../../parts/keys/shown-key.ts'
import type { Project } from '../../parts/projects.ts'
import { SidePanel } from '../../parts/side-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { toasts } from '../../parts/toasts.ts'
import { changeOf, draftOf, KeyFields } from './key-fields.tsx'
import { type ApiKey, changeKey, revokeKey, rotateKey } from './queries.ts'

type Open = 'change' | 'rotate' | 'revoke'

export function KeyPanel({
  of: key,
  project,
  isOneOfSeveral,
  onSecret,
  onClose,
}: {
  of: ApiKey
  /** Where it is known by now. */
  project: Project | undefined
  /** Whether there are other projects: else nobody need know of it. */
  isOneOfSeveral: boolean
  onSecret: (secret: { title: string; key: string }) => void
  onClose: () => void
}) {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const isRevoked = key.revoked_at !== null
  return (
    <SidePanel title={key.name} onClose={onClose}>
      <div className="flex flex-wrap gap-2">
        <Button disabled={isRevoked} onClick={() => setOpen('change')}>
          Change
        </Button>
        <Button disabled={isRevoked} onClick={() => setOpen('rotate')}>
          Rotate key
        </Button>
        <Button variant="secondary-destructive" disabled={isRevoked} onClick={() => setOpen('revoke')}>
          Revoke key
        </Button>
      </div>
      <Facts>
        <Fact label="State">
          <KeyState of={key} project={project} />
        </Fact>
        {project !== undefined && isOneOfSeveral && (
          <Fact label="Project">
            <Link href={`/projects/${project.id}`}>{project.name}</Link>
          </Fact>
        )}
        <Fact label="Role">{key.role}</Fact>
        <Fact label="Key" help="Only its hash is kept">
          <code>{shownKey(key)}</code>
        </Fact>
        <Fact label="Id">
          <CopyText value={key.id} whole />
        </Fact>
        <Fact label="Requests a minute">{key.rate_limit_per_minute ?? <None>the default</None>}</Fact>
        <Fact label="Per address">{key.rate_limit_per_address ?? <None>no limit</None>}</Fact>
        <Fact label="Created">
          <Time at={key.created_at} />
        </Fact>
        <Fact label="Last used" help="To the minute">
          {key.last_used_at === null ? <None>never</None> : <Time at={key.last_used_at} />}
        </Fact>
        <Fact label="Expires">
          {key.expires_at === null ? <None>never</None> : <Time at={key.expires_at} />}
        </Fact>
        {key.revoked_at !== null && (
          <Fact label="Revoked">
            <Time at={key.revoked_at} />
          </Fact>
        )}
      </Facts>
      <p className="flex flex-wrap gap-x-4 gap-y-1">
        <Link href={`/audit-log?${new URLSearchParams({ target_kind: 'api_key', target_id: key.id })}`}>
          Its changes in the audit log
        </Link>
        <Link href={addressOf('/logs', { key_id: key.id })}>What it has called, in the logs</Link>
      </p>
      {open === 'change' && <ChangeDialog of={key} onClose={close} />}
      {open === 'rotate' && <RotateDialog of={key} onSecret={onSecret} onClose={close} />}
      {open === 'revoke' && (
        <ConfirmDialog
          title={`Revoke key “${key.name}”?`}
          action="Revoke key"
          name={key.name}
          onConfirm={async () => {
            await revokeKey(key.id)
            toasts.add({ title: `“${key.name}” is revoked`, variant: 'success' })
          }}
          onClose={close}
        >
          <p>Calls with it get 401 at once. A revoked key never works again; its entry stays in the list.</p>
        </ConfirmDialog>
      )}
    </SidePanel>
  )
}

function ChangeDialog({ of: key, onClose }: { of: ApiKey; onClose: () => void }) {
  const [before] = useState(() => draftOf(key))
  const [draft, setDraft] = useState(before)
  const change = changeOf(before, draft)
  return (
    <FormDialog
      title={`Change key “${key.name}”`}
      action="Change key"
      mayGo={Object.keys(change).length > 0}
      onSubmit={() => changeKey(key.id, change)}
      onClose={onClose}
    >
      {errorAt => (
        <KeyFields draft={draft} onChange={changed => setDraft({ ...draft, ...changed })} errorAt={errorAt} />
      )}
    </FormDialog>
  )
}

function RotateDialog({
  of: key,
  onSecret,
  onClose,
}: {
  of: ApiKey
  onSecret: (secret: { title: string; key: string }) => void
  onClose: () => void
}) {
  const [minutes, setMinutes] = useState('60')
  return (
    <FormDialog
      title={`Rotate key “${key.name}”`}
      lead="A new key with the same id, role and limits. Both share one limit while the old one keeps working."
      action="Rotate key"
      onSubmit={async () => {
        const rotated = await rotateKey(key.id, Math.round(Number(minutes) * 60))
        onSecret({ title: `Key “${key.name}” is rotated`, key: rotated.key })
      }}
      onClose={onClose}
    >
      {errorAt => (
        <Input
          label="Minutes that the old key keeps working"
          description="Time to deploy the new one. 0: the old key stops at once."
          inputMode="decimal"
          value={minutes}
          onChange={event => setMinutes(event.target.value)}
          error={errorAt('overlap_seconds')}
        />
      )}
    </FormDialog>
  )
}
