// Seen only where the window did not close by itself.

import { Link } from '@cloudflare/kumo'
import { useSyncExternalStore } from 'react'
import { Page } from '../../../parts/page.tsx'
import { type HandOver, handOverState, subscribeHandOver } from './hand-over.ts'

const WORDS: Record<HandOver, string> = {
  'nothing came':
    'The OAuth2 server sends browsers here at the end of a run of the flow tester. Nothing came along.',
  'under way': 'The answer is on its way to the flow tester.',
  taken: 'The flow tester has the answer. You may close this window.',
  'nobody took it':
    'No flow tester of this browser waits for this answer. Close this window, and start again there.',
}

export function CallbackPage() {
  const state = useSyncExternalStore(subscribeHandOver, handOverState)
  return (
    <Page title="Back from the OAuth2 server" lead={<span role="status">{WORDS[state]}</span>}>
      <div>
        <Link href="/oauth2/flow-tester">Go to the flow tester</Link>
      </div>
    </Page>
  )
}
