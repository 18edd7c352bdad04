// Asks before a page with unsaved changes is left. Changes of the address within the page, as between its tabs, pass.

import { Button, Dialog } from '@cloudflare/kumo'
import { useBlocker } from '@tanstack/react-router'

export function LeaveGuard({ isDirty, what }: { isDirty: boolean; what: string }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && formAt(current) !== formAt(next),
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Dialog.Root open onOpenChange={open => !open && reset()}>
      <Dialog className="p-6" size="base">
        <Dialog.Title className="text-lg font-semibold">Leave without saving?</Dialog.Title>
        <Dialog.Description className="mt-2 text-kumo-subtle">
          What you have changed of {what} is not saved yet, and is lost when you leave.
        </Dialog.Description>
        <div className="mt-6 flex justify-end gap-2">
          <Button variant="secondary" onClick={proceed}>
            Discard changes
          </Button>
          <Button variant="primary" onClick={reset}>
            Stay here
          </Button>
        </div>
      </Dialog>
    </Dialog.Root>
  )
}

/** The address but for the tab: the editor of a new client shares its path with the list. */
function formAt({ pathname, search }: { pathname: string; search: object }): string {
  return JSON.stringify([pathname, { ...search, tab: undefined }])
}
