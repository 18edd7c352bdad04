// Where a person is signed in, and the way to end that.

import { Button, Empty } from '@cloudflare/kumo'
import { DevicesIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import type { Schema } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { None } from '../../parts/facts.tsx'
import { Section } from '../../parts/page.tsx'
import { titleOf } from '../../parts/person.ts'
import { Time } from '../../parts/time.tsx'
import { toasts } from '../../parts/toasts.ts'
import { deviceName } from './device-name.ts'
import { endSession, type IdentitySession, signOutIdentity } from './queries.ts'

export function Sessions({ of: person }: { of: Schema<'IdentityDetail'> }) {
  const { identity } = useSession()
  const [ending, setEnding] = useState<IdentitySession | 'all'>()
  const isOneself = identity.id === person.id
  const name = titleOf(person)
  const columns: Column<IdentitySession>[] = [
    { id: 'device', head: 'Device', cell: session => <Device of={session} /> },
    {
      id: 'address',
      head: 'Address',
      cell: ({ devices }) =>
        devices.flatMap(({ ip_address: ip }) => ip ?? []).join(', ') || <None>not known</None>,
      isSecondary: true,
    },
    { id: 'since', head: 'Since', cell: ({ authenticated_at: at }) => <At at={at} /> },
    { id: 'until', head: 'Until', cell: ({ expires_at: at }) => <At at={at} />, isSecondary: true },
    {
      id: 'methods',
      head: 'Signed in by',
      cell: ({ authentication_methods: methods, authenticator_assurance_level: level }) =>
        `${methods.join(', ') || 'not known'}${level === 'aal2' ? ', second factor' : ''}`,
      isSecondary: true,
    },
    {
      id: 'end',
      head: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: session => (
        <Button
          size="sm"
          variant="secondary-destructive"
          className="ml-auto"
          onClick={() => setEnding(session)}
        >
          End session
        </Button>
      ),
    },
  ]
  return (
    <Section
      title="Sessions"
      lead="At the identity provider. A session that has ended is refused here within ten seconds."
      actions={
        person.active_sessions.length > 0 && (
          <Button variant="secondary-destructive" onClick={() => setEnding('all')}>
            Sign out everywhere
          </Button>
        )
      }
    >
      {person.active_sessions.length === 0 ? (
        <Empty
          size="sm"
          icon={<DevicesIcon size={32} />}
          title="No active sessions"
          description="Browsers and apps where this person is signed in appear here."
        />
      ) : (
        <DataTable label="Sessions" columns={columns} rows={person.active_sessions} rowKey={({ id }) => id} />
      )}
      {ending !== undefined && (
        <ConfirmDialog
          title={ending === 'all' ? `Sign ${name} out everywhere?` : `End this session of ${name}?`}
          action={ending === 'all' ? 'Sign out everywhere' : 'End session'}
          onConfirm={async () => {
            if (ending === 'all') await signOutIdentity(person.id)
            else await endSession(person.id, ending.id)
            toasts.add({
              title: ending === 'all' ? `${name} is signed out` : 'The session has ended',
              variant: 'success',
            })
          }}
          onClose={() => setEnding(undefined)}
        >
          <p>
            {ending === 'all'
              ? `All ${person.active_sessions.length} sessions end at the identity provider.`
              : `${deviceName(ending.devices[0]?.user_agent ?? null)}: it ends at the identity provider.`}{' '}
            Tokens of applications live on; “Applications they agreed to” ends those.
          </p>
          {isOneself && <p>This is your own account: you may have to sign in again.</p>}
        </ConfirmDialog>
      )}
    </Section>
  )
}

function Device({ of: { devices } }: { of: IdentitySession }) {
  const agent = devices[0]?.user_agent ?? null
  return (
    <span title={agent ?? undefined} className="block max-w-72 truncate">
      {deviceName(agent)}
    </span>
  )
}

function At({ at }: { at: string | null }) {
  return at === null ? <None>not known</None> : <Time at={at} />
}
