// A secret that is shown this once. It lives in the memory of whoever shows it, and is gone with the dialog: neither
// Escape nor the browser's Back closes it.

import { Banner, Button, Dialog } from '@cloudflare/kumo'
import { WarningIcon } from '@phosphor-icons/react'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { CopyText } from './copy-text.tsx'
import { DIALOG_CLASS } from './dialog-class.ts'

/** `secrets` by their names. Closes by its button alone, so that no stray click loses a secret. */
export function SecretOnce({
  title,
  secrets,
  children,
  onClose,
}: {
  title: string
  secrets: Readonly<Record<string, string>>
  children?: ReactNode
  onClose: () => void
}) {
  const isCopied = useRef(false)
  useBlocker({
    // A view may take what opened the dialog out of its own address meanwhile.
    shouldBlockFn: ({ current, next, action }) =>
      !isCopied.current &&
      (current.pathname !== next.pathname || (action !== 'PUSH' && action !== 'REPLACE')),
    enableBeforeUnload: () => !isCopied.current,
  })
  const close = () => {
    isCopied.current = true
    onClose()
  }
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={() => undefined}>
      <Dialog className={DIALOG_CLASS} size="lg">
        <div className="flex flex-col gap-4">
          <Dialog.Title className="text-lg font-semibold wrap-anywhere">{title}</Dialog.Title>
          <Dialog.Description render={<div />}>
            <Banner
              variant="alert"
              size="sm"
              icon={<WarningIcon weight="fill" />}
              title="Copy it now: it is not shown again"
              description="Quoin stores no readable copy."
            />
          </Dialog.Description>
          {Object.entries(secrets).map(([label, value]) => (
            <div key={label}>
              <p className="mb-1 text-kumo-subtle">{label}</p>
              <CopyText
                value={value}
                whole
                label={`Copy ${label}`}
                className="w-full justify-between rounded-md bg-kumo-recessed px-3 py-2"
              />
            </div>
          ))}
          {children}
          <div className="flex justify-end">
            <Button variant="primary" onClick={close}>
              I have copied it
            </Button>
          </div>
        </div>
      </Dialog>
    </Dialog.Root>
  )
}
