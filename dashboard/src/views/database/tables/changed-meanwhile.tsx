import { Banner, Button } from '@cloudflare/kumo'
import { WarningCircleIcon } from '@phosphor-icons/react'

/** Says that nothing was saved, and offers to read what somebody else has written. */
export function ChangedMeanwhile({
  error,
  isBusy,
  onReadAgain,
}: {
  error: Error
  isBusy: boolean
  onReadAgain: () => void
}) {
  return (
    <Banner
      variant="error"
      role="alert"
      icon={<WarningCircleIcon weight="fill" />}
      title={error.message}
      description="What you typed is still here. Read the row again, and decide whose values stay."
      action={
        <Button size="sm" disabled={isBusy} onClick={onReadAgain}>
          Read it again
        </Button>
      }
    />
  )
}
