// The end of a log that is read page by page: what is older, how many are shown, and why no more came.

import { Button } from '@cloudflare/kumo'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { ErrorNotice } from './error-notice.tsx'

export function LogEnd({
  query,
  shown,
}: {
  query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage' | 'error'
  >
  shown: number
}) {
  return (
    <>
      <div className="flex items-center gap-4">
        <Button
          onClick={() => void query.fetchNextPage()}
          disabled={!query.hasNextPage}
          loading={query.isFetchingNextPage}
        >
          Load older entries
        </Button>
        <span role="status" className="text-kumo-subtle tabular-nums">
          {shown.toLocaleString('en')} shown
          {!query.hasNextPage && ', and that is all'}
        </span>
      </div>
      {query.isFetchNextPageError && <ErrorNotice error={query.error} />}
    </>
  )
}
