// The callback's side: gives the answer to the flow tester's page and closes this window, before anything is drawn.

import { queryOptions, skipToken } from '@tanstack/react-query'
import { queryClient } from '../../../api/query-client.ts'
import { passOn } from './sign-in-window.ts'

const PATIENCE_MS = 2_000
const KEY = ['flow tester', 'hand-over']

/** Whether the flow tester has taken the answer; pending where none came, and fetching while it is on its way. */
export const handOverQuery = queryOptions<boolean>({
  queryKey: KEY,
  queryFn: skipToken,
  staleTime: Number.POSITIVE_INFINITY,
})

export function handOver(search: string): void {
  const taken = new Promise<boolean>(resolve => {
    setTimeout(() => resolve(false), PATIENCE_MS)
    passOn(search, () => {
      resolve(true)
      queryClient.setQueryData(KEY, true)
      window.close()
    })
  })
  void queryClient.prefetchQuery({ ...handOverQuery, queryFn: () => taken })
}
