// For whoever has no session that counts: the way to one, or why theirs does not.

import { Button, LinkButton, Text } from '@cloudflare/kumo'
import { ApiError } from '../api/errors.ts'
import { signInUrl, signOut } from '../api/session.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'

/** Comes back to the address that was asked for. */
export function SignIn() {
  return (
    <Centered>
      <Text variant="heading" size="lg" as="h1">
        Sign in to Quoin
      </Text>
      <Text variant="secondary">You sign in at your identity provider and come back to this page.</Text>
      <LinkButton variant="primary" href={signInUrl(location.href)}>
        Sign in
      </LinkButton>
    </Centered>
  )
}

/** Somebody is signed in, and may not use the dashboard; or the server refuses them for another reason. */
export function Refused({ error }: { error: Error }) {
  const isSomebodyElse = error instanceof ApiError && error.code === 'dashboard_role_required'
  return (
    <Centered>
      <Text variant="heading" size="lg" as="h1">
        {isSomebodyElse ? 'This account may not use the dashboard' : 'The dashboard cannot start'}
      </Text>
      <ErrorNotice error={error} />
      <Button onClick={() => void signOut()}>Sign in as somebody else</Button>
    </Centered>
  )
}

function Centered({ children }: { children: React.ReactNode }) {
  return (
    <main className="mx-auto flex min-h-full max-w-lg flex-col items-start justify-center gap-4 p-6">
      <img src="/favicon.svg" alt="" className="size-10" />
      {children}
    </main>
  )
}
