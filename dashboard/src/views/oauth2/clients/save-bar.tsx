// Stays at the foot of a form while one scrolls: what is not saved yet, and the way to save it.

import { Button, cn } from '@cloudflare/kumo'
import type { ReactNode } from 'react'

export function SaveBar({
  note,
  action,
  mayGo,
  isBusy,
  onDiscard,
  children,
}: {
  /** What will be saved, or why it cannot be. */
  note: ReactNode
  action: string
  mayGo: boolean
  isBusy: boolean
  onDiscard: { label: string; go: () => void; isOff?: boolean }
  /** An error that belongs to no field. */
  children?: ReactNode
}) {
  return (
    <div
      className={cn(
        'sticky -bottom-6 z-10 -mx-4 -mb-6 flex flex-col gap-3 px-4 py-3 md:-mx-8 md:px-8',
        'border-t border-kumo-line bg-kumo-canvas',
      )}
    >
      {children}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="min-w-0 flex-1 basis-52 text-kumo-subtle">
          {note}
        </p>
        <div className="ml-auto flex gap-2">
          <Button variant="secondary" disabled={isBusy || onDiscard.isOff} onClick={onDiscard.go}>
            {onDiscard.label}
          </Button>
          <Button type="submit" variant="primary" disabled={!mayGo} loading={isBusy}>
            {action}
          </Button>
        </div>
      </div>
    </div>
  )
}
