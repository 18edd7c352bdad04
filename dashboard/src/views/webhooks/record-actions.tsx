// What can be done with a webhook, and the dialogs of it.

import { Button, DropdownMenu } from '@cloudflare/kumo'
import {
  ArrowCounterClockwiseIcon,
  DotsThreeIcon,
  KeyIcon,
  PaperPlaneTiltIcon,
  TrashIcon,
} from '@phosphor-icons/react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { toasts } from '../../parts/toasts.ts'
import { AttemptDialog } from './attempt-dialog.tsx'
import { ChangeSecretDialog } from './change-secret-dialog.tsx'
import { ChangeWebhookDialog } from './change-webhook-dialog.tsx'
import { changeWebhook, deleteWebhook, sendTest, type WebhookWithWaiting } from './queries.ts'
import { ReplayFailedDialog } from './replay-failed-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Open = 'change' | 'secret' | 'replay-failed' | 'delete'

export function RecordActions({ of: webhook }: { of: WebhookWithWaiting }) {
  const { id, name, active } = webhook
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open>()
  // Kept here and nowhere else until the dialog is closed.
  const [secret, setSecret] = useState<string>()
  const test = useMutation({ mutationFn: () => sendTest(id) })
  const pause = useMutation({
    mutationFn: () => changeWebhook(id, { active: !active }),
    onSuccess: () =>
      toasts.add({ title: active ? `“${name}” is paused` : `“${name}” is resumed`, variant: 'success' }),
  })
  const close = () => setOpen(undefined)
  return (
    <>
      <Button
        variant="primary"
        icon={PaperPlaneTiltIcon}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send test
      </Button>
      <Button loading={pause.isPending} onClick={() => pause.mutate()}>
        {active ? 'Pause' : 'Resume'}
      </Button>
      <Button onClick={() => setOpen('change')}>Change</Button>
      <DropdownMenu>
        <DropdownMenu.Trigger
          render={<Button shape="square" icon={<DotsThreeIcon weight="bold" />} aria-label="More actions" />}
        />
        <DropdownMenu.Content align="end">
          <DropdownMenu.Item icon={ArrowCounterClockwiseIcon} onClick={() => setOpen('replay-failed')}>
            Replay failed
          </DropdownMenu.Item>
          <DropdownMenu.Item icon={KeyIcon} onClick={() => setOpen('secret')}>
            {webhook.has_secret ? 'Rotate or remove secret' : 'Set secret'}
          </DropdownMenu.Item>
          <DropdownMenu.Separator />
          <DropdownMenu.Item icon={TrashIcon} variant="danger" onClick={() => setOpen('delete')}>
            Delete webhook
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu>
      <div className="basis-full empty:hidden">
        <ErrorNotice error={test.error} title="The test was not sent" />
        <ErrorNotice error={pause.error} />
      </div>
      {test.data !== undefined && (
        <AttemptDialog webhookId={id} of={test.data} what="The test" onClose={test.reset} />
      )}
      {open === 'change' && <ChangeWebhookDialog of={webhook} onClose={close} />}
      {open === 'secret' && <ChangeSecretDialog of={webhook} onGenerated={setSecret} onClose={close} />}
      {secret !== undefined && (
        <SecretDialog
          title={`“${name}” has a new secret`}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
      {open === 'replay-failed' && <ReplayFailedDialog of={webhook} onClose={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          title={`Delete webhook “${name}”?`}
          action="Delete webhook"
          name={name}
          onConfirm={async () => {
            await deleteWebhook(id)
            toasts.add({ title: `“${name}” is deleted`, variant: 'success' })
            await navigate({ to: '/webhooks' })
          }}
          onClose={close}
        >
          <p>Nothing more is sent, and {waitingWords(webhook)} is discarded. This cannot be undone.</p>
          <p>To stop it for a while, pause it: then changes are kept for seven days.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function waitingWords({ statistics: { waiting } }: WebhookWithWaiting): string {
  if (waiting === null || waiting === 0) return 'what was not delivered'
  return `what was not delivered (${waiting.toLocaleString('en')} waiting)`
}
