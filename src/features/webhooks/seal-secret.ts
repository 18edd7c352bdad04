// A webhook's secret and the values of its headers on their way into the database. Nobody reads either again: records
// show a mask in place of each value, and who sends a mask back keeps what is stored.

import { DomainError } from '../../errors.ts'
import { headersTooLarge } from './delivery/delivery-headers.ts'
import { headerSealName, type SecretBox, sealedBytes } from './secret-box.ts'

export interface SecretDeps {
  secretBox: SecretBox | undefined
}

/** What stands for the value of a header wherever it is shown. */
export const MASKED = '[secret]'

/** The secret sealed under the webhook's id; null for none. Throws `not_configured` without SECRETS_KEY. */
export async function sealSecret(
  { secretBox }: SecretDeps,
  webhookId: string,
  secret: string | null,
): Promise<string | null> {
  if (secret === null) return null
  if (secretBox === undefined) throw keepsNothing('secret', 'the secret')
  return await secretBox.seal(webhookId, secret)
}

/**
 * Headers with each value sealed. A mask keeps the value that is stored under that name, whatever its case. Throws
 * `validation_failed` for a mask where nothing is stored and for what is too large with all that is kept, and
 * `not_configured` for a value without SECRETS_KEY.
 */
export async function sealHeaders(
  { secretBox }: SecretDeps,
  webhookId: string,
  headers: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const kept = new Map(Object.entries(stored).map(([name, sealed]) => [name.toLowerCase(), sealed]))
  const seal = async (name: string, value: string) => {
    if (isMasked(value)) return kept.get(name.toLowerCase()) ?? refuseMask(name)
    // A value was written around what was read: the mask would be sent in its place.
    if (value.includes(MASKED)) refuseMask(name)
    if (secretBox === undefined) throw keepsNothing('headers', 'the headers')
    return await secretBox.seal(headerSealName(webhookId, name), value)
  }
  const entries = Object.entries(headers).map(
    async ([name, value]) => [name, await seal(name, value)] as const,
  )
  const sealed = await Promise.all(entries)
  const size = sealed.reduce((sum, [name, value]) => sum + name.length + sealedBytes(value), 0)
  const problem = headersTooLarge(size)
  if (problem !== undefined) throw new DomainError('validation_failed', `body.headers: ${problem}`)
  return Object.fromEntries(sealed)
}

/** True for the mask, also with blanks around it: HTTP takes these away. */
export function isMasked(value: string): boolean {
  return value.trim() === MASKED
}

function refuseMask(name: string): never {
  throw new DomainError(
    'validation_failed',
    `body.headers: "${MASKED}" stands for a whole stored value, and there is none for it in ${JSON.stringify(name)}.`,
    { hint: 'Send the value itself. Records show no values; names that a webhook has already keep theirs.' },
  )
}

function keepsNothing(field: string, what: string): DomainError {
  return new DomainError(
    'not_configured',
    `body.${field}: the deployment cannot keep secrets: SECRETS_KEY is not set.`,
    { hint: `Set SECRETS_KEY to base64 of 32 random bytes, or leave ${what} out.` },
  )
}
