import { cn } from '@cloudflare/kumo'
import type { ReactNode } from 'react'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { toasts } from '../toasts.ts'
import { deleteTuples } from './queries.ts'
import { printTuple, type Tuple } from './tuple-text.ts'

const SHOWN_MAX = 12

/** Names what goes, and removes it. `children`: what follows from it. */
export function RemoveTuplesDialog({
  tuples,
  title,
  action,
  onRemoved,
  onClose,
  children,
}: {
  tuples: readonly Tuple[]
  title?: string
  action?: string
  onRemoved?: () => void
  onClose: () => void
  children?: ReactNode
}) {
  const count = tuples.length === 1 ? 'tuple' : `${tuples.length.toLocaleString('en')} tuples`
  const rest = tuples.length - SHOWN_MAX
  return (
    <ConfirmDialog
      title={title ?? `Delete ${count}?`}
      action={action ?? `Delete ${count}`}
      onConfirm={async () => {
        const deleted = await deleteTuples(tuples)
        const what = deleted === 1 ? '1 tuple is' : `${deleted.toLocaleString('en')} tuples are`
        toasts.add({ title: `${what} deleted`, variant: 'success' })
        onRemoved?.()
      }}
      onClose={onClose}
    >
      <ul
        className={cn(
          'max-h-56 overflow-y-auto rounded-md border border-kumo-hairline px-3 py-2',
          'code-text text-kumo-default wrap-anywhere',
        )}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label="Tuples that go"
      >
        {tuples.slice(0, SHOWN_MAX).map(tuple => (
          <li key={printTuple(tuple)}>{printTuple(tuple)}</li>
        ))}
        {rest > 0 && <li className="text-kumo-subtle">and {rest.toLocaleString('en')} more</li>}
      </ul>
      {children ?? <p>Checks that rest on them say no at once. The audit log keeps their text.</p>}
    </ConfirmDialog>
  )
}
