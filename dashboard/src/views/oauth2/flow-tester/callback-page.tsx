// Seen only where the window did not close by itself.

import { Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { Page } from '../../../parts/page.tsx'
import { handOverQuery } from './hand-over.ts'

export function CallbackPage() {
  const { data: isTaken, isFetching } = useQuery(handOverQuery)
  return (
    <Page
      title="Back from the OAuth2 server"
      lead={<span role="status">{wordsOf(isTaken, isFetching)}</span>}
    >
      <div>
        <Link href="/oauth2/flow-tester">Go to the flow tester</Link>
      </div>
    </Page>
  )
}

function wordsOf(isTaken: boolean | undefined, isFetching: boolean): string {
  if (isTaken === true) return 'The flow tester has the answer. You may close this window.'
  if (isTaken === false)
    return 'No flow tester of this browser waits for this answer. Close this window, and start again there.'
  return isFetching
    ? 'The answer is on its way to the flow tester.'
    : 'The OAuth2 server sends browsers here at the end of a run of the flow tester. This time it sent nothing.'
}
