import { Link } from '@cloudflare/kumo'
import { useEffect } from 'react'
import { Page } from '../../parts/page.tsx'

export function SignedInPage() {
  // Browsers close only windows that a script opened, and few others: the words stand for the rest.
  useEffect(() => window.close(), [])
  return (
    <Page
      title="You are signed in"
      lead="This window may be closed. The page that you came from goes on by itself, with all that you have typed."
    >
      <p>
        <Link href="/">Go to the overview here</Link>
      </p>
    </Page>
  )
}
