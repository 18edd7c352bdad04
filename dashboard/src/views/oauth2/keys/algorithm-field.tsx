import { Select, Text } from '@cloudflare/kumo'
import { serverSet } from './key-sets.ts'
import type { Algorithm } from './queries.ts'

const ALGORITHMS: Record<Algorithm, string> = {
  RS256: 'RS256: RSA, every library takes it',
  RS384: 'RS384: RSA with a longer hash',
  RS512: 'RS512: RSA with the longest hash',
  ES256: 'ES256: curve P-256, short and fast',
  ES384: 'ES384: curve P-384',
  ES512: 'ES512: curve P-521',
  EdDSA: 'EdDSA: Ed25519, shortest and fastest',
}

/** The algorithm of a known key; RS256 where it is another one or none. */
export function algorithmOf(text: string | null | undefined): Algorithm {
  return text != null && text in ALGORITHMS ? (text as Algorithm) : 'RS256'
}

/** `present`: what the set signs with now. */
export function AlgorithmField({
  set,
  present,
  value,
  error,
  onChange,
}: {
  set: string
  present: string | null | undefined
  value: Algorithm
  error?: string
  onChange: (algorithm: Algorithm) => void
}) {
  return (
    <div className="flex flex-col gap-2">
      <Select
        label="Algorithm"
        value={value}
        items={ALGORITHMS}
        onValueChange={chosen => onChange(chosen ?? 'RS256')}
        error={error}
      />
      {warningOf(set, present, value).map(warning => (
        <Text key={warning} variant="secondary" size="sm" as="p">
          {warning}
        </Text>
      ))}
    </div>
  )
}

function warningOf(set: string, present: string | null | undefined, chosen: Algorithm): string[] {
  if (serverSet(set) === undefined) return []
  const warnings: string[] = []
  if (chosen === 'EdDSA')
    warnings.push(
      'The server signs with EdDSA, but cannot read what it signed: introspection of JWT access tokens and ' +
        'logout with an ID token as its hint stop working.',
    )
  if (present != null && present !== chosen)
    warnings.push(`Tokens are signed with ${present} now: applications that expect it must be told before.`)
  if (chosen.startsWith('RS')) warnings.push('Making an RSA key takes the server a few seconds.')
  return warnings
}
