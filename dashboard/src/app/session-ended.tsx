// The session has ended in the middle of the work. Signing in happens in a window of its own, so that what was typed
// here stays.

import { Button, Dialog, LinkButton } from '@cloudflare/kumo'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sessionIsBack, sessionQuery, signInUrl, useSessionEnded } from '../api/session.ts'

const LOOK_INTERVAL_MS = 2_000

export function SessionEnded() {
  const hasEnded = useSessionEnded()
  const client = useQueryClient()
  useEffect(() => {
    if (!hasEnded) return
    const look = async () => {
      const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined)
      if (session !== undefined) await sessionIsBack(client, session)
    }
    const timer = setInterval(look, LOOK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [hasEnded, client])
  return (
    <Dialog.Root open={hasEnded}>
      <Dialog className="p-6" size="base">
        <Dialog.Title className="text-lg font-semibold">Your session has ended</Dialog.Title>
        <Dialog.Description className="mt-2 text-kumo-subtle">
          Sign in again in a new window. This page stays as it is, with all that you have typed, and goes on
          by itself.
        </Dialog.Description>
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
