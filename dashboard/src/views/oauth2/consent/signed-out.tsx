import { Banner } from '@cloudflare/kumo'
import { CheckCircleIcon } from '@phosphor-icons/react'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import type { SignedOut } from './queries.ts'

type Told = SignedOut['clients'][number]

const BACKCHANNEL: Record<Told['backchannel_logout'], string> = {
  requested: 'is being told by the server',
  not_registered: 'has no address for it: not told',
  no_session: 'the consent names no session: not told',
}
const FRONTCHANNEL: Record<Told['frontchannel_logout'], string> = {
  needs_browser: 'only a logout in the person’s own browser reaches it',
  not_registered: 'has no address for it',
}

const COLUMNS: Column<Told>[] = [
  { id: 'client', head: 'Client', cell: client => client.client_name ?? client.client_id },
  { id: 'back', head: 'Back-channel', cell: client => BACKCHANNEL[client.backchannel_logout] },
  { id: 'front', head: 'Front-channel', cell: client => FRONTCHANNEL[client.frontchannel_logout] },
]

/** What came of it, client by client. */
export function SignedOutNotice({ of: answer }: { of: SignedOut }) {
  const sessions = counted(answer.login_sessions_ended, 'login session')
  return (
    <div role="status" className="flex flex-col gap-3">
      <Banner
        variant="secondary"
        icon={<CheckCircleIcon weight="fill" />}
        title="Signed out of every application"
        description={`${sessions} ended by name, and all others of this person; ${counted(
          answer.consents_revoked,
          'consent',
        )} revoked. The session at the identity provider lives on.`}
      />
      {answer.clients.length > 0 && (
        <DataTable
          label="Who was told"
          columns={COLUMNS}
          rows={answer.clients}
          rowKey={client => client.client_id}
        />
      )}
    </div>
  )
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
