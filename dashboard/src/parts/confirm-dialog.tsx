// Asks before what cannot be taken back, or has a cost. What cannot be undone asks for the thing's name.

import { Button, Dialog, Input } from '@cloudflare/kumo'
import { type ReactNode, useState } from 'react'
import { DIALOG_CLASS } from './dialog-class.ts'
import { ErrorNotice } from './error-notice.tsx'
import { useSubmit } from './use-submit.ts'

/**
 * `action` is the button's verb with its object. `name`: must be typed before it works; `mayGo: false` keeps it off as
 * well. `onConfirm` may fail: the dialog stays and shows why; after a success it closes.
 */
export function ConfirmDialog({
  title,
  children,
  action,
  name,
  mayGo = true,
  isDangerous = true,
  onConfirm,
  onClose,
}: {
  title: string
  children: ReactNode
  action: string
  name?: string
  mayGo?: boolean
  isDangerous?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    await onConfirm()
    // Also where what was asked about, and this dialog with it, is gone by now.
    onClose()
  })
  const isNamed = name === undefined || typed.trim() === name
  return (
    <Dialog.Root open onOpenChange={open => !open && !isBusy && onClose()}>
      <Dialog className={DIALOG_CLASS} size="lg">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Dialog.Title className="text-lg font-semibold wrap-anywhere">{title}</Dialog.Title>
          <Dialog.Description render={<div />} className="flex flex-col gap-2 text-kumo-subtle">
            {children}
          </Dialog.Description>
          {name !== undefined && (
            <Input
              label={`Type ${name} to confirm`}
              value={typed}
              onChange={event => setTyped(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <ErrorNotice error={error} />
          <div className="flex justify-end gap-2">
            <Button variant="secondary" onClick={onClose} disabled={isBusy}>
              Cancel
            </Button>
            <Button
              type="submit"
              variant={isDangerous ? 'destructive' : 'primary'}
              disabled={!mayGo || !isNamed}
              loading={isBusy}
            >
              {action}
            </Button>
          </div>
        </form>
      </Dialog>
    </Dialog.Root>
  )
}
