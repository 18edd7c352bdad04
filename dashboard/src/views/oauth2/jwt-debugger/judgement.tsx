// What is to be said of the whole token: is its signature right, is it still good, is it of this OAuth2 server.

import { LayerCard } from '@cloudflare/kumo'
import { useEffect, useState } from 'react'
import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import type { Claims } from '../../../parts/jwt.ts'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { lifetimeOf } from './lifetime.ts'
import { Row } from './row.tsx'
import type { Verdict } from './verify-signature.ts'

/** `verdict` is undefined while it is being found. */
export function Judgement({ payload, verdict }: { payload: Claims; verdict: Verdict | undefined }) {
  return (
    <LayerCard className="p-0" render={<section aria-label="Judgement" />}>
      <dl className="divide-y divide-kumo-hairline" aria-live="polite">
        <Row name="Signature">
          <SignatureState verdict={verdict} />
        </Row>
        <Row name="Lifetime">
          <LifetimeState payload={payload} />
        </Row>
        <Row name="Issuer">
          <IssuerState issuer={payload['iss']} />
        </Row>
      </dl>
    </LayerCard>
  )
}

function SignatureState({ verdict }: { verdict: Verdict | undefined }) {
  if (verdict === undefined) return <State tone="busy">Being verified</State>
  if (verdict.state === 'verified')
    return (
      <>
        <State tone="good">Verified</State>
        <More>
          {verdict.note} {verdict.alg}, by key <code>{verdict.kid}</code> of the OAuth2 server.
        </More>
      </>
    )
  if (verdict.state === 'wrong')
    return (
      <>
        <State tone="bad">Wrong</State>
        <More>{verdict.why}</More>
      </>
    )
  return (
    <>
      <State tone={verdict.isSevere ? 'bad' : 'attention'}>Not verifiable</State>
      <More>{verdict.why}</More>
    </>
  )
}

function LifetimeState({ payload }: { payload: Claims }) {
  const { tone, word, at, more } = lifetimeOf(payload, useNow())
  return (
    <>
      <State tone={tone}>{word}</State>
      <More>
        {word === 'Not valid yet' && 'Valid '}
        {at !== undefined && <Time at={at} />}
        {more}
      </More>
    </>
  )
}

/** To the second: somebody may be watching a token expire. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

function IssuerState({ issuer }: { issuer: unknown }) {
  if (typeof issuer !== 'string') return <State tone="attention">It names none</State>
  const isOurs = issuer.replace(/\/$/, '') === OAUTH_PUBLIC_URL
  return isOurs ? (
    <State tone="good">This OAuth2 server</State>
  ) : (
    <>
      <State tone="attention">Somebody else</State>
      <More>
        This OAuth2 server is <code>{OAUTH_PUBLIC_URL}</code>
      </More>
    </>
  )
}

function More({ children }: { children: React.ReactNode }) {
  return <span className="mt-0.5 block text-kumo-subtle">{children}</span>
}
