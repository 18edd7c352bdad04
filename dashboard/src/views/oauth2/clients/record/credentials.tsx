import { Button } from '@cloudflare/kumo'
import { useState } from 'react'
import { ConfirmDialog } from '../../../../parts/confirm-dialog.tsx'
import { CopyText } from '../../../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../../../parts/facts.tsx'
import { Section } from '../../../../parts/page.tsx'
import { SecretOnce } from '../../../../parts/secret-once.tsx'
import { type Client, isPublic, nameOf } from '../client.ts'
import { changeClient, rotateSecret } from '../queries.ts'

/** What the client proves itself with. */
export function Credentials({ of: client }: { of: Client }) {
  const [isAsking, setAsking] = useState(false)
  // Kept here and nowhere else until the dialog is closed.
  const [secret, setSecret] = useState<string>()
  const withoutSecret = isPublic(client)
  return (
    <Section
      title="Credentials"
      lead={
        withoutSecret
          ? 'A public client has no secret: it runs where everybody could read one. PKCE replaces it.'
          : 'It proves itself with its id and its secret at the token endpoint.'
      }
      actions={
        <Button onClick={() => setAsking(true)}>
          {withoutSecret ? 'Make it confidential' : 'Rotate secret'}
        </Button>
      }
    >
      <Facts>
        <Fact label="Client id" help="Never changes, and is no secret">
          <CopyText value={client.client_id} whole label="Copy client id" />
        </Fact>
        <Fact label="Authentication">{client.token_endpoint_auth_method}</Fact>
        <Fact label="Secret" help="Only its hash is kept">
          {withoutSecret ? <None>none</None> : 'Shown when it is made, and never again'}
        </Fact>
      </Facts>
      {isAsking && !withoutSecret && (
        <ConfirmDialog
          title={`Rotate the secret of “${nameOf(client)}”?`}
          action="Rotate secret"
          onConfirm={async () => setSecret(await rotateSecret(client.client_id))}
          onClose={() => setAsking(false)}
        >
          <p>The old secret is refused at once: the application gets no token until it has the new one.</p>
          <p>Tokens that it has go on working. A client that was public gets its first secret this way.</p>
        </ConfirmDialog>
      )}
      {isAsking && withoutSecret && (
        <ConfirmDialog
          title={`Make “${nameOf(client)}” confidential?`}
          action="Make it confidential"
          onConfirm={async () => {
            await changeClient(client.client_id, { token_endpoint_auth_method: 'client_secret_basic' })
            setSecret(await rotateSecret(client.client_id))
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            It gets its first secret, and must send it for every token from then on (client_secret_basic).
          </p>
          <p>An application in a browser, on a phone or on a device cannot: it stops working.</p>
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <SecretOnce
          title={`“${nameOf(client)}” has a new secret`}
          secrets={{ 'Client secret': secret }}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Section>
  )
}
