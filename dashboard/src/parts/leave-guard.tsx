// Asks before what was typed is lost: by another page, Back, a reload, or closing what it was typed in.

import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

/**
 * `title` asks. `leave` calls `onLeave`, at once where nothing would be lost. `question` stands beside the form, not
 * within it. A page that replaces its own address, as for a tab or a filter, leaves nothing.
 */
export function useLeaveGuard(
  title: string,
  isDirty: () => boolean,
  onLeave?: () => void,
): { leave: () => void; question: ReactNode } {
  const [isAsking, setAsking] = useState(false)
  const isDiscarded = useRef(false)
  const holds = () => isDirty() && !isDiscarded.current
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next, action }) =>
      holds() && (action !== 'REPLACE' || current.pathname !== next.pathname),
    enableBeforeUnload: holds,
    withResolver: true,
  })
  const discard = async () => {
    if (status === 'blocked') return proceed()
    isDiscarded.current = true
    onLeave?.()
  }
  const stay = () => {
    reset?.()
    setAsking(false)
  }
  return {
    leave: () => (holds() ? setAsking(true) : onLeave?.()),
    question: (isAsking || status === 'blocked') && (
      <ConfirmDialog title={title} action="Discard" onConfirm={discard} onClose={stay}>
        <p>What was typed is not saved yet.</p>
      </ConfirmDialog>
    ),
  }
}
