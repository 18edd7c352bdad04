// A form in a dialog. What the server refuses is said at its field, everything else above the buttons, and what was
// typed stays.

import { Button, Dialog } from '@cloudflare/kumo'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { DIALOG_CLASS } from './dialog-class.ts'
import { ErrorNotice } from './error-notice.tsx'
import { fieldErrors } from './field-errors.ts'
import { useLeaveGuard } from './leave-guard.tsx'

/** What the server said of a field, by the name that it has in the request's body. */
export type ErrorAt = (field: string) => string | undefined

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
  onSubmit,
  onClose,
  children,
}: {
  title: string
  lead?: ReactNode
  action: string
  mayGo?: boolean
  size?: 'base' | 'lg' | 'xl'
  onSubmit: () => Promise<unknown>
  onClose: () => void
  children: (errorAt: ErrorAt) => ReactNode
}) {
  const isTouched = useRef(false)
  const touch = (touched: boolean) => {
    isTouched.current = touched
  }
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  const close = () => {
    touch(false)
    // Whoever has left while it was sent is not brought back by the answer.
    if (isHere.current) onClose()
  }
  const isSending = useRef(false)
  const send = async () => {
    isSending.current = true
    await onSubmit().finally(() => {
      isSending.current = false
    })
  }
  const { errorAt, rest, isBusy, submit } = useSubmit(send, close)
  // The answer may hold a secret that is shown once.
  const { leave, question } = useLeaveGuard(
    isBusy ? 'Leave before the answer is here?' : 'Discard what was typed?',
    () => isTouched.current || isSending.current,
    close,
  )
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={open => !open && !isBusy && leave()}>
      <Dialog className={DIALOG_CLASS} size={size}>
        <form onSubmit={submit} onInput={() => touch(true)} className="flex flex-col gap-4" noValidate>
          <Dialog.Title className="text-lg font-semibold [overflow-wrap:anywhere]">{title}</Dialog.Title>
          {lead !== undefined && (
            <Dialog.Description render={<div />} className="text-kumo-subtle">
              {lead}
            </Dialog.Description>
          )}
          {children(errorAt)}
          <ErrorNotice error={rest} />
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

/** The same for a form that is a page: what to show at the fields, what beside the button, and the handler. */
export function useSubmit(onSubmit: () => Promise<unknown>, onDone?: () => void) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [asked] = useState(() => new Set<string>())
  const complaints = fieldErrors(error)
  asked.clear()
  const errorAt: ErrorAt = field => {
    asked.add(field)
    return complaints.get(field)
  }
  const submit = async (event: React.FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await onSubmit()
      onDone?.()
    } catch (err) {
      setError(err instanceof Error ? err : new Error(String(err)))
    } finally {
      setBusy(false)
    }
  }
  // Known when all fields are drawn: a complaint that none of them has asked for is shown with the rest.
  const [isUnshown, setUnshown] = useState(false)
  useLayoutEffect(() => setUnshown([...complaints.keys()].some(field => !asked.has(field))))
  const rest = complaints.size === 0 || isUnshown ? error : null
  return { errorAt, rest, isBusy, submit }
}
