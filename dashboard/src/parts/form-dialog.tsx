// A form in a dialog. What the server refuses is said at its field and above the buttons, and what was typed stays.

import { Button, Dialog } from '@cloudflare/kumo'
import { type ReactNode, useRef } from 'react'
import { DIALOG_CLASS } from './dialog-class.ts'
import { ErrorNotice } from './error-notice.tsx'
import { useLeaveGuard } from './leave-guard.tsx'
import { type ErrorAt, type FieldOf, useSubmit } from './use-submit.ts'

/**
 * `action` is the button's verb with its object. `onSubmit` may fail: the form stays and shows why; after a success
 * it closes. `mayGo: false` keeps the button off while something is known to be wrong.
 */
export function FormDialog({
  title,
  lead,
  action,
  mayGo = true,
  size = 'lg',
  fieldOf,
  onSubmit,
  onClose,
  children,
}: {
  title: string
  lead?: ReactNode
  action: string
  mayGo?: boolean
  size?: 'base' | 'lg' | 'xl'
  fieldOf?: FieldOf
  onSubmit: () => Promise<unknown>
  onClose: () => void
  children: (errorAt: ErrorAt) => ReactNode
}) {
  const isTouched = useRef(false)
  const close = () => {
    isTouched.current = false
    onClose()
  }
  const { error, errorAt, isBusy, isSending, submit } = useSubmit(onSubmit, close, fieldOf)
  const { leave, question } = useLeaveGuard(
    isBusy ? 'Leave before the request is finished?' : 'Discard your changes?',
    // The answer may hold a secret that is shown once.
    () => isTouched.current || isSending(),
    close,
  )
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={open => !open && !isBusy && leave()}>
      <Dialog className={DIALOG_CLASS} size={size}>
        <form
          onSubmit={submit}
          onInput={() => {
            isTouched.current = true
          }}
          className="flex flex-col gap-4"
          noValidate
        >
          <Dialog.Title className="text-lg font-semibold wrap-anywhere">{title}</Dialog.Title>
          {lead !== undefined && (
            <Dialog.Description render={<div />} className="text-kumo-subtle">
              {lead}
            </Dialog.Description>
          )}
          {children(errorAt)}
          <ErrorNotice error={error} />
          <div className="flex justify-end gap-2">
            <Button variant="secondary" onClick={close} disabled={isBusy}>
              Cancel
            </Button>
            <Button type="submit" variant="primary" disabled={!mayGo} loading={isBusy}>
              {action}
            </Button>
          </div>
        </form>
      </Dialog>
      {question}
    </Dialog.Root>
  )
}
