// The session has ended in the middle of the work. Signing in happens in a window of its own, so that what was typed
// here stays. It stays for the same person only: what one has begun another must not send.

import { Button, Dialog, LinkButton } from '@cloudflare/kumo'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import { sessionIsBack, sessionQuery, signInUrl, useSessionEnded } from '../api/session.ts'
import { DIALOG_CLASS } from '../parts/dialog-class.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'

const LOOK_INTERVAL_MS = 2_000
/** As long as nobody has signed in, or the server is away, there is nothing to say. */
const EXPECTED = ['session_required', 'unreachable']

export function SessionEnded() {
  const hasEnded = useSessionEnded()
  const client = useQueryClient()
  const [problem, setProblem] = useState<Error | null>(null)
  useEffect(() => {
    if (!hasEnded) return
    const before = client.getQueryData(sessionQuery.queryKey)?.identity
    const look = async () => {
      const session = await answerOf(api.GET('/api/session'))
      if (session.identity.id !== before?.id) {
        const [now, then] = [session.identity.email ?? 'somebody else', before?.email ?? 'another person']
        throw new Error(`You are signed in as ${now}, but this page was opened by ${then}.`)
      }
      setProblem(null)
      await sessionIsBack(client, session)
    }
    const explain = (err: unknown) => {
      const isExpected = err instanceof ApiError && EXPECTED.includes(err.code)
      setProblem(isExpected || !(err instanceof Error) ? null : err)
    }
    const timer = setInterval(() => look().catch(explain), LOOK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [hasEnded, client])
  return (
    <Dialog.Root open={hasEnded}>
      <Dialog className={DIALOG_CLASS} size="base">
        <Dialog.Title className="text-lg font-semibold">Your session has ended</Dialog.Title>
        <Dialog.Description className="mt-2 text-kumo-subtle">
          Sign in again in a new window. This page keeps what you typed, and continues by itself.
        </Dialog.Description>
        <div className="mt-4 empty:hidden">
          <ErrorNotice error={problem} />
        </div>
        <div className="mt-6 flex justify-end gap-2">
          <Button variant="secondary" onClick={() => location.reload()}>
            Start over here
          </Button>
          <LinkButton variant="primary" href={signInUrl(`${location.origin}/signed-in`)} target="_blank">
            Sign in
          </LinkButton>
        </div>
      </Dialog>
    </Dialog.Root>
  )
}
