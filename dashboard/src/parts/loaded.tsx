// What stands where a query's answer will be: its outline first, its error where it failed, then the answer, which
// stays while it is read again.

import { SkeletonLine } from '@cloudflare/kumo'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

/** `outline` replaces the rows of grey lines. */
export function Loaded<Data>({
  query,
  outline,
  children,
}: {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'failureReason'>
  outline?: ReactNode
  children: (data: Data) => ReactNode
}) {
  const { data, error, failureReason } = query
  // While it is tried again and again there is no error yet, but why it has failed so far.
  const failure = error ?? failureReason
  if (data === undefined)
    return (
      <>
        <ErrorNotice error={failure} />
        {error === null && (outline ?? <Outline />)}
      </>
    )
  return (
    <>
      <ErrorNotice error={failure} title="Refresh failed: showing the last known data" />
      {children(data)}
    </>
  )
}

/** Grey lines in the height of a table's rows. */
export function Outline({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" aria-busy="true" className="flex flex-col gap-4 py-3">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <SkeletonLine key={i} className="h-4 w-full" />
      ))}
    </div>
  )
}
