// The server says no more of a token that is not active than that. What can be said beside it: what the text shows by
// itself, and what else may be.

import { Banner } from '@cloudflare/kumo'
import { ProhibitIcon } from '@phosphor-icons/react'
import type { ReactNode } from 'react'
import { Time } from '../../../parts/time.tsx'
import { looksOf, mayVerify, type TokenKind } from './token-looks.ts'

const OF_KIND: Partial<Record<TokenKind, string>> = {
  code: 'This is an authorization code: its client exchanges it once for tokens, within minutes.',
  id_token:
    'This looks like an ID token. It tells a client who signed in; the server does not introspect those. Decode it.',
  api_key:
    'This is an API key of Quoin, not a token of the OAuth2 server. Its state stands with the API keys.',
  refresh_token:
    'A refresh token is good once: using it replaces it. A second use may be theft, and ends the whole grant.',
}

/** The server reads only what its newest key signed, as Hydra does. */
const ROTATED =
  'It may be signed with a key from before the last rotation: the server reads those no more. The public keys may ' +
  'verify it, and then it can be revoked all the same.'

const GENERAL = [
  'It has expired.',
  'It was revoked, or the consent behind it, or its client was deleted.',
  'Its client belongs to somebody else: of a server that several share, Quoin tells of its own clients alone.',
  'It was not copied whole, or is of another server.',
]

export function Inactive({ token }: { token: string }) {
  const { kind, expiresAt, isDamaged } = looksOf(token)
  const seen: ReactNode[] = []
  if (isDamaged) seen.push('It has a character that no token has: it may not be copied whole.')
  if (OF_KIND[kind] !== undefined) seen.push(OF_KIND[kind])
  if (expiresAt !== null && expiresAt < new Date())
    seen.push(
      <>
        It says itself that it expired <Time at={expiresAt} />.
      </>,
    )
  if (mayVerify(token)) seen.push(ROTATED)
  return (
    <div className="flex flex-col gap-4">
      <Banner
        variant="alert"
        icon={<ProhibitIcon weight="fill" />}
        title="This token is not active"
        description="Whoever checks it with the server refuses it. The server does not say why."
      />
      {seen.length > 0 && <Reasons title="What it shows by itself" reasons={seen} />}
      <Reasons title={seen.length > 0 ? 'Other possible reasons' : 'Possible reasons'} reasons={GENERAL} />
    </div>
  )
}

function Reasons({ title, reasons }: { title: string; reasons: readonly ReactNode[] }) {
  return (
    <div>
      <h3 className="font-medium">{title}</h3>
      <ul className="mt-1 list-disc pl-5 text-kumo-subtle marker:text-kumo-inactive">
        {reasons.map((reason, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that is drawn anew as a whole
          <li key={i} className="max-w-[80ch] py-0.5">
            {reason}
          </li>
        ))}
      </ul>
    </div>
  )
}
