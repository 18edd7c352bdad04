// Tokens: what one is good for, ending one, and cleaning up those that have ended.

import { Banner, Button } from '@cloudflare/kumo'
import { CheckCircleIcon, InfoIcon } from '@phosphor-icons/react'
import { useLocation, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { handOverToken, takePastedToken } from '../../../app/pasted-token.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { cleanToken } from '../../../parts/jwt.ts'
import { Page, Section } from '../../../parts/page.tsx'
import { useSubmit } from '../../../parts/use-submit.ts'
import { Active } from './active.tsx'
import { CleanUp } from './clean-up.tsx'
import { Inactive } from './inactive.tsx'
import { type Introspection, introspect, type Revocation, revokeToken } from './queries.ts'
import { TokenField } from './token-field.tsx'
import { mayVerify } from './token-looks.ts'

/** What was asked, and what came of it. The token is here and nowhere else. */
interface Asked {
  token: string
  answer: Introspection
  revocation?: Revocation
}

export function TokensPage() {
  const [token, setToken] = useState('')
  const [asked, setAsked] = useState<Asked>()
  const [isRevoking, setRevoking] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { error, errorAt, isBusy, submit } = useSubmit(async () => {
    const text = cleanToken(token)
    setAsked({ token: text, answer: await introspect(text) })
  })

  // The search may hand a token over while this page is open already: each way here has a place of its own.
  const { __TSR_key: key } = useLocation().state
  // biome-ignore lint/correctness/useExhaustiveDependencies: coming here again is what it waits for
  useEffect(() => {
    const pasted = takePastedToken()
    if (pasted === undefined) return
    setToken(pasted)
    setAsked(undefined)
    requestAnimationFrame(() => form.current?.requestSubmit())
  }, [key])

  const revoke = async (text: string) => {
    const revocation = await revokeToken(text)
    setAsked({ token: text, answer: await introspect(text), revocation })
  }

  return (
    <Page
      title="Tokens"
      lead="What a token is good for, in the words of the server that issued it; and how to end it."
    >
      <form ref={form} onSubmit={submit} className="flex flex-col gap-3" noValidate>
        <TokenField
          value={token}
          error={errorAt('token')}
          onChange={setToken}
          onSubmit={() => form.current?.requestSubmit()}
        >
          <Button type="submit" variant="primary" loading={isBusy} disabled={cleanToken(token) === ''}>
            Introspect token
          </Button>
          <DecodeButton token={cleanToken(token)} />
        </TokenField>
        <ErrorNotice error={error} />
      </form>
      {asked !== undefined && (
        <Section
          title="What the server says"
          lead={
            asked.token === cleanToken(token)
              ? undefined
              : 'About the previous token: the field holds another one now.'
          }
          actions={
            (asked.answer.active || (asked.revocation === undefined && mayVerify(asked.token))) && (
              <Button variant="secondary-destructive" onClick={() => setRevoking(true)}>
                Revoke token
              </Button>
            )
          }
        >
          {asked.revocation !== undefined && <Revoked answer={asked.revocation} />}
          {asked.answer.active && <Active of={asked.answer} />}
          {!asked.answer.active && !asked.revocation?.revoked && <Inactive token={asked.token} />}
          {isRevoking && (
            <ConfirmDialog
              title="Revoke this token?"
              action="Revoke token"
              onConfirm={() => revoke(asked.token)}
              onClose={() => setRevoking(false)}
            >
              <p>
                It ends as narrowly as the server allows: where there is no narrower way, the other tokens of
                its grant, or of this person at this client, end with it. The answer says which.
              </p>
              <p>Whoever verifies JWTs without asking the server takes them until they expire.</p>
            </ConfirmDialog>
          )}
        </Section>
      )}
      <CleanUp />
    </Page>
  )
}

const ENDED: Record<Revocation['scope'], string> = {
  none: 'There was nothing to revoke.',
  grant: 'All tokens of the same authorization ended with it.',
  subject_and_client: 'All tokens and consents of this person at this client ended with it.',
  client: 'All access tokens of this client ended with it.',
}

function Revoked({ answer }: { answer: Revocation }) {
  return (
    <div role="status">
      <Banner
        variant="secondary"
        icon={answer.revoked ? <CheckCircleIcon weight="fill" /> : <InfoIcon weight="fill" />}
        title={answer.revoked ? 'The token is revoked' : 'Nothing was revoked'}
        description={ENDED[answer.scope]}
      />
    </div>
  )
}

/** Only a JWT has anything to decode. It is handed over in memory. */
function DecodeButton({ token }: { token: string }) {
  const router = useRouter()
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return null
  const decode = () => {
    handOverToken(token)
    router.history.push('/oauth2/jwt-debugger')
  }
  return <Button onClick={decode}>Decode it</Button>
}
