// A record beside its list. Open while the address says so: whoever shows it gives `onClose` that takes it out.

import { Button, cn } from '@cloudflare/kumo'
import { Dialog as Base } from '@cloudflare/kumo/primitives/dialog'
import { XIcon } from '@phosphor-icons/react'
import type { ReactNode } from 'react'

/** `isWide`: for what is read side by side. */
export function SidePanel({
  title,
  actions,
  isWide = false,
  children,
  onClose,
}: {
  title: string
  actions?: ReactNode
  isWide?: boolean
  children: ReactNode
  onClose: () => void
}) {
  return (
    <Base.Root open onOpenChange={open => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-black/30" />
        <Base.Popup
          className={cn(
            'fixed inset-y-0 right-0 flex w-full flex-col outline-none',
            'border-l border-kumo-line bg-kumo-base text-kumo-default',
            isWide ? 'max-w-5xl' : 'max-w-2xl',
          )}
        >
          <header className="flex items-start gap-3 border-b border-kumo-hairline px-5 py-4">
            <Base.Title className="line-clamp-3 min-w-0 flex-1 text-lg font-semibold wrap-anywhere">
              {title}
            </Base.Title>
            {actions}
            <Base.Close
              render={<Button variant="ghost" shape="square" icon={<XIcon />} aria-label="Close" />}
            />
          </header>
          <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-5 py-4 *:shrink-0">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
