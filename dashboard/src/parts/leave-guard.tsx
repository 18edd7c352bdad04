// Asks before what was typed is lost: by another page, Back, a reload, or closing what it was typed in.

import { useBlocker, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

/**
 * `title` asks, `text` says what is lost. `question` stands beside the form, not within it. A page is left by another
 * path alone: its tabs and filters keep what was typed. What can be closed, as a panel, gives `onLeave`, which closes
 * it: it is left by Back and by every new address too, and `leave` closes it, at once where nothing would be lost.
 */
export function useLeaveGuard(
  title: string,
  isDirty: () => boolean,
  onLeave?: () => void,
  { text = 'Unsaved changes will be lost.', action = 'Discard' } = {},
): { leave: () => void; question: ReactNode } {
  const [isAsking, setAsking] = useState(false)
  const isDiscarded = useRef(false)
  const holds = () => isDirty() && !isDiscarded.current
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next, action }) =>
      holds() && (current.pathname !== next.pathname || (onLeave !== undefined && action !== 'REPLACE')),
    enableBeforeUnload: holds,
    withResolver: true,
  })
  // What the new address shows as well is not gone by itself.
  const address = useRouterState({ select: state => state.resolvedLocation?.href })
  const closeDiscarded = useEffectEvent(() => {
    if (isDiscarded.current) onLeave?.()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is done at each new address
  useEffect(() => closeDiscarded(), [address])
  const discard = async () => {
    isDiscarded.current = true
    if (status === 'blocked') proceed()
    else onLeave?.()
  }
  const stay = () => {
    reset?.()
    setAsking(false)
  }
  return {
    leave: () => (holds() ? setAsking(true) : onLeave?.()),
    question: (isAsking || status === 'blocked') && (
      <ConfirmDialog title={title} action={action} onConfirm={discard} onClose={stay}>
        <p>{text}</p>
      </ConfirmDialog>
    ),
  }
}

/** Asks before a reload, or closing the window: for what outlives every other way to leave. */
export function useReloadGuard(isHeld: boolean): void {
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: isHeld })
}
