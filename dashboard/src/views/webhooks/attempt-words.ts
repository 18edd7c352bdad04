// Why an attempt to deliver was no success, in words. docs/webhooks.md has the same table.

import { ownValue } from '../../parts/own-value.ts'
import type { Delivery } from './queries.ts'

type Failure = NonNullable<Delivery['error']>

interface Words {
  /** For a list. */
  short: string
  /** What it means, and what to do. */
  long: string
}

const WORDS: Record<Failure, Words> = {
  status: { short: 'Refused', long: 'Only an answer of 2xx says that the receiver took it.' },
  redirect: {
    short: 'Redirected',
    long: 'The answer was a redirect, which is not followed. Use the target of the redirect as the webhook’s URL.',
  },
  timeout: {
    short: 'Timed out',
    long: 'No answer within 15 seconds. Answer first, and do the work after it.',
  },
  connection_failed: {
    short: 'No connection',
    long: 'Nobody listens there, the connection broke, or the certificate is not valid.',
  },
  name_not_resolved: {
    short: 'Name not found',
    long: 'The host name of the URL has no address, or could not be looked up.',
  },
  target_not_public: {
    short: 'Private address',
    long: 'The host name of the URL leads into a private network, where nothing is sent.',
  },
  secret_unreadable: {
    short: 'Secret unreadable',
    long: 'SECRETS_KEY is not the one that secret and headers were encrypted with. Set them again.',
  },
}

export function failureWords(error: Failure): Words {
  return ownValue(WORDS, error) ?? { short: error, long: `The attempt failed: ${error}.` }
}
