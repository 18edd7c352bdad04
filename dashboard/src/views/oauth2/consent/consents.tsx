// The consents of one person, and what ends them.

import { Button, Empty } from '@cloudflare/kumo'
import { HandshakeIcon, SignOutIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { ConsentList, clientName } from './consent-list.tsx'
import { Person } from './person.tsx'
import { type Consent, consentsQuery, revokeConsents, type SignedOut, signOutEverywhere } from './queries.ts'
import { SignedOutNotice } from './signed-out.tsx'

/** `consent`: at its client alone. */
type Asking = { what: 'client'; consent: Consent } | { what: 'all' } | { what: 'sign out' }

export function Consents({
  subject,
  sort,
  onSort,
}: {
  subject: string
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  const query = useQuery(consentsQuery(subject))
  const [asking, setAsking] = useState<Asking>()
  const [signedOut, setSignedOut] = useState<SignedOut>()
  const close = () => setAsking(undefined)
  const revoke = async (client?: string) => {
    const count = await revokeConsents(subject, client)
    toasts.add({
      title: count === 1 ? 'The consent is revoked' : `${count} consents are revoked`,
      variant: 'success',
    })
  }
  return (
    <Loaded query={query}>
      {consents => (
        <>
          <Person subject={subject} />
          <Section
            title="Consents"
            lead="What this person allows applications to do. After a revocation the person is asked again."
            actions={
              <>
                <Button
                  variant="secondary-destructive"
                  disabled={consents.length === 0}
                  title={consents.length === 0 ? 'There is nothing to revoke' : undefined}
                  onClick={() => setAsking({ what: 'all' })}
                >
                  Revoke all
                </Button>
                <Button
                  variant="secondary-destructive"
                  icon={SignOutIcon}
                  onClick={() => setAsking({ what: 'sign out' })}
                >
                  Sign out everywhere
                </Button>
              </>
            }
          >
            {signedOut !== undefined && <SignedOutNotice of={signedOut} />}
            {consents.length === 0 ? (
              <Empty
                icon={<HandshakeIcon size={40} />}
                title="No consents"
                description="This person has not agreed to anything, or all of it is revoked."
              />
            ) : (
              <ConsentList
                consents={consents}
                sort={sort}
                onSort={onSort}
                onRevoke={consent => setAsking({ what: 'client', consent })}
              />
            )}
          </Section>
          {asking?.what === 'client' && (
            <ConfirmDialog
              title={`Revoke consents at ${clientName(asking.consent)}?`}
              action="Revoke consents"
              onConfirm={() => revoke(asking.consent.client.client_id)}
              onClose={close}
            >
              <p>
                Every consent of this person at this client, and the tokens that came of them, end. The person
                is asked again at the next sign-in there.
              </p>
            </ConfirmDialog>
          )}
          {asking?.what === 'all' && (
            <ConfirmDialog
              title="Revoke all consents of this person?"
              action="Revoke all consents"
              onConfirm={() => revoke()}
              onClose={close}
            >
              <p>
                {consents.length === 1 ? 'The consent' : `All ${consents.length} consents`} and the tokens
                that came of them end, at every client. Login sessions stay.
              </p>
            </ConfirmDialog>
          )}
          {asking?.what === 'sign out' && (
            <ConfirmDialog
              title="Sign this person out of every application?"
              action="Sign out everywhere"
              onConfirm={async () => setSignedOut(await signOutEverywhere(subject))}
              onClose={close}
            >
              <p>
                The login sessions at the OAuth2 server end, and all consents with their tokens. Applications
                with a back-channel address are told.
              </p>
              <p>
                The session at the identity provider lives on: to keep somebody out, end it there or disable
                the identity.
              </p>
            </ConfirmDialog>
          )}
        </>
      )}
    </Loaded>
  )
}
