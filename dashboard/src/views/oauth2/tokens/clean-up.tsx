// Ended tokens stay in the server's tables until somebody deletes them.

import { Banner, Button } from '@cloudflare/kumo'
import { BroomIcon, CheckCircleIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { useSession } from '../../../api/session.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { Section } from '../../../parts/page.tsx'
import { type Flush, flushTokens } from './queries.ts'

export function CleanUp() {
  const { is_admin: isAdmin } = useSession()
  const [isAsking, setAsking] = useState(false)
  const [answer, setAnswer] = useState<Flush>()
  return (
    <Section
      title="Clean up"
      lead={
        'Tokens that have ended stay in the OAuth2 server’s tables. Deleting them makes the tables smaller; ' +
        'nobody is signed out.'
      }
      actions={
        <Button
          icon={BroomIcon}
          disabled={!isAdmin}
          title={isAdmin ? undefined : 'Only administrators may delete tokens of all clients'}
          onClick={() => setAsking(true)}
        >
          Delete ended tokens
        </Button>
      }
    >
      {!isAdmin && (
        <p className="text-kumo-subtle">For administrators: it concerns the tokens of all clients.</p>
      )}
      {answer !== undefined && (
        <Banner
          variant={answer.complete ? 'secondary' : 'alert'}
          icon={<CheckCircleIcon weight="fill" />}
          title={answer.complete ? 'Ended tokens are deleted' : 'There are more: run it again'}
          description={deleted(answer)}
        />
      )}
      {isAsking && (
        <ConfirmDialog
          title="Delete ended tokens of all clients?"
          action="Delete ended tokens"
          isDangerous={false}
          onConfirm={async () => setAnswer(await flushTokens())}
          onClose={() => setAsking(false)}
        >
          <p>Access and refresh tokens that have expired or were revoked go. Active ones stay.</p>
          <p>
            A refresh token that was replaced stays as long as its grant lives: its second use reveals a
            theft. It takes at most 20 seconds; with very many tokens it stops there and says so.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

function deleted({ access_tokens: access, refresh_tokens: refresh, source }: Flush): string {
  if (source === 'server') return 'Through the server’s own endpoint, which counts nothing.'
  const counted = (count: number | null, word: string) =>
    `${count?.toLocaleString('en') ?? 'an unknown number of'} ${word}${count === 1 ? '' : 's'}`
  return `Deleted: ${counted(access, 'access token')} and ${counted(refresh, 'refresh token')}.`
}
