// What the pasted text is: the parts of a JWT, or why it is none.

import { Banner } from '@cloudflare/kumo'
import { LockIcon, WarningCircleIcon } from '@phosphor-icons/react'
import type { JWK } from 'jose'
import { useEffect, useState } from 'react'
import { CopyText } from '../../../parts/copy-text.tsx'
import type { Jwt, JwtReading } from '../../../parts/jwt.ts'
import { Judgement } from './judgement.tsx'
import { FieldList, PartCard } from './part-card.tsx'
import { PART_LOOKS } from './part-looks.ts'
import { type Verdict, verifySignature } from './verify-signature.ts'
import { CLAIM_WORDS, HEADER_WORDS } from './words.ts'

/** `keys` is undefined where there are none to verify with; `isReading` while they are on their way. */
export function Reading({
  of: reading,
  keys,
  isReading,
}: {
  of: Exclude<JwtReading, { kind: 'empty' }>
  keys: readonly JWK[] | undefined
  isReading: boolean
}) {
  if (reading.kind === 'malformed')
    return (
      <Banner
        variant="error"
        role="alert"
        icon={<WarningCircleIcon weight="fill" />}
        title={
          reading.part === undefined ? 'Not a JWT' : `${PART_LOOKS[reading.part].name}: it cannot be read`
        }
        description={<span className="wrap-anywhere">{reading.problem}</span>}
      />
    )
  if (reading.kind === 'opaque')
    return (
      <Banner
        icon={<LockIcon weight="fill" />}
        title="This is an opaque token"
        description="It says nothing by itself: only the OAuth2 server knows what it is good for. Introspect it."
      />
    )
  if (reading.kind === 'encrypted')
    return (
      <>
        <Banner
          variant="alert"
          icon={<LockIcon weight="fill" />}
          title="This token is encrypted (JWE)"
          description="Not verifiable: its payload can be read by whoever has the private key alone."
        />
        <PartCard part="header">
          <FieldList of={reading.header} json={reading.headerJson} words={HEADER_WORDS} />
        </PartCard>
      </>
    )
  return <Parts of={reading} keys={keys} isReading={isReading} />
}

function Parts({
  of: jwt,
  keys,
  isReading,
}: {
  of: Jwt
  keys: readonly JWK[] | undefined
  isReading: boolean
}) {
  const verdict = useVerdict(jwt, keys, isReading)
  return (
    <>
      <Judgement payload={jwt.payload} verdict={verdict} />
      <PartCard part="header">
        <FieldList of={jwt.header} json={jwt.headerJson} words={HEADER_WORDS} />
      </PartCard>
      <PartCard part="payload">
        <FieldList of={jwt.payload} json={jwt.payloadJson} words={CLAIM_WORDS} />
      </PartCard>
      <PartCard part="signature">
        <div className="px-4 py-2">
          {jwt.signature === '' ? (
            <p className="text-kumo-subtle">There is none.</p>
          ) : (
            <CopyText value={jwt.signature} whole label="Copy signature" />
          )}
        </div>
      </PartCard>
    </>
  )
}

/** Undefined until it is known of this very token. */
function useVerdict(jwt: Jwt, keys: readonly JWK[] | undefined, isReading: boolean): Verdict | undefined {
  const [found, setFound] = useState<{ of: Jwt; verdict: Verdict }>()
  useEffect(() => {
    if (isReading) return
    let isLate = false
    void verifySignature(jwt, keys).then(verdict => !isLate && setFound({ of: jwt, verdict }))
    return () => {
      isLate = true
    }
  }, [jwt, keys, isReading])
  return found?.of === jwt ? found.verdict : undefined
}
