import { Button } from '@cloudflare/kumo'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'

/** The end of a list that is read page by page; nothing when all of it is there. */
export function OlderEntries({
  query,
}: {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
}) {
  if (!query.hasNextPage) return null
  return (
    <div>
      <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show older ones
      </Button>
    </div>
  )
}
