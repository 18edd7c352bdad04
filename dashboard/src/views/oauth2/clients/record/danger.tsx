import { Button } from '@cloudflare/kumo'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmDialog } from '../../../../parts/confirm-dialog.tsx'
import { Section } from '../../../../parts/page.tsx'
import { toasts } from '../../../../parts/toasts.ts'
import { type Client, nameOf } from '../client.ts'
import { deleteClient } from '../queries.ts'

/** The end of a client. */
export function Danger({ of: client }: { of: Client }) {
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const name = nameOf(client)
  return (
    <Section
      title="Delete this client"
      lead="Its tokens, codes and consents go with it. Nobody can sign in to the application any more."
      actions={
        <Button variant="secondary-destructive" onClick={() => setAsking(true)}>
          Delete client
        </Button>
      }
    >
      {isAsking && (
        <ConfirmDialog
          title={`Delete client “${name}”?`}
          action="Delete client"
          name={name}
          onConfirm={async () => {
            await deleteClient(client.client_id)
            toasts.add({ title: `Client “${name}” is deleted`, variant: 'success' })
            await navigate({ to: '/oauth2/clients', ignoreBlocker: true })
          }}
          onClose={() => setAsking(false)}
        >
          <p>This cannot be undone: a new client has another id, and the application must be told of it.</p>
          <p>Its tokens are refused at once; /v1/db may take opaque ones for ten seconds more.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
