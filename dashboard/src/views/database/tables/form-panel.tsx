// A panel with a form in it. What was typed is not lost by a stray click: it asks before it closes.

import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'

/** `children` say how many changes are not saved. */
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
  return (
    <SidePanel title={title} onClose={() => (unsaved > 0 ? setAsking(true) : onClose())}>
      {children(setUnsaved)}
      {isAsking && (
        <ConfirmDialog
          title={unsaved === 1 ? 'Discard 1 change?' : `Discard ${unsaved} changes?`}
          action="Discard"
          onConfirm={async () => onClose()}
          onClose={() => setAsking(false)}
        >
          <p>What was typed is not saved yet.</p>
        </ConfirmDialog>
      )}
    </SidePanel>
  )
}
