// A panel with a form in it. What was typed is not lost by a stray click, nor by Back or a reload: it asks before it
// closes.

import { type ReactNode, useRef, useState } from 'react'
import { useLeaveGuard } from '../../../parts/leave-guard.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'

type FormContent = (onUnsaved: (changes: number) => void) => ReactNode

/** `children` say how many changes are not saved; none before they close the panel themselves. */
export function FormPanel({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: FormContent
}) {
  const [unsaved, setUnsaved] = useState(0)
  // Who says "none" and closes in the same moment is not asked: the state is drawn only later.
  const latest = useRef(0)
  const tell = (changes: number) => {
    latest.current = changes
    setUnsaved(changes)
  }
  const { leave, question } = useLeaveGuard(
    unsaved === 1 ? 'Discard 1 change?' : `Discard ${unsaved} changes?`,
    () => latest.current > 0,
    onClose,
  )
  return (
    <SidePanel title={title} onClose={leave}>
      <Content of={children} onUnsaved={tell} />
      {question}
    </SidePanel>
  )
}

/** Drawn by itself, since what it is given reaches the latest count. */
function Content({ of: content, onUnsaved }: { of: FormContent; onUnsaved: (changes: number) => void }) {
  return content(onUnsaved)
}
