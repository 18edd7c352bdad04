import { Button, Dialog, Link } from '@cloudflare/kumo'
import { DIALOG_CLASS } from '../../parts/dialog-class.ts'
import { AttemptBanner, ResponseBody } from './attempt-result.tsx'
import type { Attempt } from './queries.ts'

/** How a test or a replay went: status, time and body of the answer, and the way to its entry in the log. */
export function AttemptDialog({
  webhookId,
  of: attempt,
  what,
  onClose,
}: {
  webhookId: string
  of: Attempt
  what: string
  onClose: () => void
}) {
  return (
    <Dialog.Root open onOpenChange={open => !open && onClose()}>
      <Dialog className={DIALOG_CLASS} size="lg">
        <div className="flex flex-col gap-4">
          <Dialog.Title className="text-lg font-semibold">{what}</Dialog.Title>
          <Dialog.Description render={<div />}>
            <AttemptBanner of={attempt} what={what} />
          </Dialog.Description>
          <div>
            <p className="mb-1 text-kumo-subtle">Answer of the receiver</p>
            <ResponseBody text={attempt.response_body} />
          </div>
          <div className="flex items-center justify-between gap-2">
            <Link
              href={`/webhooks/${webhookId}?${new URLSearchParams({ delivery: attempt.log_id })}`}
              onClick={onClose}
            >
              Show it in the log
            </Link>
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </div>
        </div>
      </Dialog>
    </Dialog.Root>
  )
}
