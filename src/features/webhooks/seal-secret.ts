// A webhook's secret on its way into the database.

import { DomainError } from '../../errors.ts'
import type { SecretBox } from './secret-box.ts'

export interface SecretDeps {
  secretBox: SecretBox | undefined
}

/** The secret sealed under the webhook's id; null for none. Throws `not_configured` without SECRETS_KEY. */
export async function sealSecret(
  { secretBox }: SecretDeps,
  webhookId: string,
  secret: string | null,
): Promise<string | null> {
  if (secret === null) return null
  if (secretBox !== undefined) return await secretBox.seal(webhookId, secret)
  throw new DomainError(
    'not_configured',
    'body.secret: the deployment cannot keep secrets: SECRETS_KEY is not set.',
    {
      hint: 'Set SECRETS_KEY to base64 of 32 random bytes, or leave the secret out.',
    },
  )
}
