// A panel with a form in it. What was typed is not lost by a stray click, nor by Back or a reload: it asks before it
// closes.

import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'

/** `children` say how many changes are not saved; none before they close the panel themselves. */
export function FormPanel({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: (onUnsaved: (changes: number) => void) => ReactNode
}) {
  const [unsaved, setUnsaved] = useState(0)
  const [isAsking, setAsking] = useState(false)
  // Who says "none" and closes in the same moment is not asked: the state is drawn only later.
  const latest = useRef(0)
  const tell = (changes: number) => {
    latest.current = changes
    setUnsaved(changes)
  }
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => latest.current > 0 && panelAt(current) !== panelAt(next),
    enableBeforeUnload: () => latest.current > 0,
    withResolver: true,
  })
  const isLeaving = status === 'blocked'
  const discard = async () => {
    tell(0)
    if (isLeaving) proceed()
    else onClose()
  }
  const stay = () => {
    reset?.()
    setAsking(false)
  }
  return (
    <SidePanel title={title} onClose={() => (unsaved > 0 ? setAsking(true) : onClose())}>
      {children(tell)}
      {(isAsking || isLeaving) && (
        <ConfirmDialog
          title={unsaved === 1 ? 'Discard 1 change?' : `Discard ${unsaved} changes?`}
          action="Discard"
          onConfirm={discard}
          onClose={stay}
        >
          <p>What was typed is not saved yet.</p>
        </ConfirmDialog>
      )}
    </SidePanel>
  )
}

/** What of an address keeps the panel where it is: filters and pages may change beneath it. */
function panelAt({ pathname, search }: { pathname: string; search: object }): string {
  const { tab, row, at, insert } = search as Record<string, unknown>
  return JSON.stringify([pathname, tab, row, at, insert])
}
