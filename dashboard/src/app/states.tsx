// What stands in a view's place: while its code comes, where it failed, where there is none.

import { Banner, Button, Empty, SkeletonLine } from '@cloudflare/kumo'
import { CompassIcon, WarningCircleIcon } from '@phosphor-icons/react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'

/** The outline of a page: a title, a sentence, a list. */
export function ViewPending() {
  return (
    <div aria-busy="true" role="status" aria-label="Loading" className="flex flex-col gap-3">
      <SkeletonLine className="h-7 w-48" />
      <SkeletonLine className="h-4 w-96 max-w-full" />
      <SkeletonLine className="mt-4 h-64 w-full" />
    </div>
  )
}

/** A fault of this page itself: errors of the server are shown by the views. */
export function ViewFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Banner
      variant="error"
      icon={<WarningCircleIcon weight="fill" />}
      title="This view failed"
      description={error instanceof Error ? error.message : String(error)}
      action={
        <Button size="sm" onClick={again}>
          Try again
        </Button>
      }
    />
  )
}

export function NotFound() {
  return (
    <Empty
      icon={<CompassIcon size={40} />}
      title="Page not found"
      description="The link may come from another version of the dashboard. Use the sidebar, or search with Ctrl K."
    />
  )
}
