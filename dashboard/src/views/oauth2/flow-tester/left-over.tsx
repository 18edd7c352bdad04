// Test clients of earlier visits, or of somebody else's that goes on now.

import { Banner, Button } from '@cloudflare/kumo'
import { BroomIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { type OAuthClient, removeTestClient } from './queries.ts'

export function LeftOver({ clients }: { clients: readonly OAuthClient[] }) {
  const [isAsking, setAsking] = useState(false)
  const [only] = clients
  if (only === undefined) return null
  const many = clients.length === 1 ? 'One test client is' : `${clients.length} test clients are`
  return (
    <>
      <Banner
        size="sm"
        variant="secondary"
        icon={<BroomIcon weight="fill" />}
        title={`${many} still there:`}
        description="of a visit that ended without removing them, or of one that goes on in another tab."
        action={
          <Button size="sm" onClick={() => setAsking(true)}>
            {clients.length === 1 ? 'Remove it' : 'Remove them'}
          </Button>
        }
      />
      {isAsking && (
        <ConfirmDialog
          title={clients.length === 1 ? 'Remove the test client?' : `Remove ${clients.length} test clients?`}
          action={clients.length === 1 ? 'Remove test client' : 'Remove test clients'}
          onConfirm={async () => {
            for (const { client_id: id } of clients) await removeTestClient(id)
            toasts.add({ title: 'Removed', variant: 'success' })
          }}
          onClose={() => setAsking(false)}
        >
          <p>Their tokens and consents go with them. A test that runs in another tab ends.</p>
        </ConfirmDialog>
      )}
    </>
  )
}
