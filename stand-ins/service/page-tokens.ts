// Page tokens and page sizes, as Hydra and Keto read them by the same library. A token is sealed, so that nobody makes
// one, and carries the time when it ends.

import { randomBytes } from 'node:crypto'
import { makeSealer } from './sealed-values.ts'

const SIZE_DEFAULT = 100
const SIZE_MAX = 500
const PURPOSE = 'page-token'

/** What the caller asked for: rows after `after` (the empty text is the start), at most `size`. */
export interface Page {
  readonly after: string
  readonly size: number
}

export interface PageTokens {
  /** The page that `page_token` and `page_size` ask for; throws what `refuse` makes of the reason. */
  read(list: string, query: URLSearchParams): Page
  /** The token of the page that begins after `after`. */
  write(list: string, after: string): string
}

interface PageTokenSettings {
  /** Tokens survive a restart as long as it stays. */
  readonly secret: string
  readonly ttlSeconds: number
  /** Tokens are at least so long: clients must be ready for those of the real server. 0 unless said. */
  readonly lengthMin?: number
  readonly now: () => number
  readonly refuse: (reason: string) => Error
}

interface TokenContent {
  readonly list: string
  readonly after: string
  readonly expiresAt: number
  /** Makes the token longer, and means nothing. */
  readonly filler?: string
}

export function makePageTokens({
  secret,
  ttlSeconds,
  lengthMin = 0,
  now,
  refuse,
}: PageTokenSettings): PageTokens {
  const sealer = makeSealer(secret)
  const open = (token: string) => {
    const content = sealer.open(PURPOSE, token) as TokenContent | undefined
    if (content === undefined) throw refuse('cannot decrypt token')
    if (content.expiresAt < now()) throw refuse('page token expired, do not persist page tokens')
    return content
  }
  const readSize = (text: string) => {
    if (text === '') return SIZE_DEFAULT
    if (!/^[+-]?\d{1,15}$/.test(text)) throw refuse('page_size is no number')
    const size = Number(text)
    return size <= 0 ? SIZE_DEFAULT : Math.min(size, SIZE_MAX)
  }
  return {
    read(list, query) {
      const token = firstValue(query, 'page_token')
      const opened = token === '' ? undefined : open(token)
      if (opened !== undefined && opened.list !== list) throw refuse('the page token is of another list')
      return { after: opened?.after ?? '', size: readSize(firstValue(query, 'page_size')) }
    },
    write(list, after) {
      const content: TokenContent = { list, after, expiresAt: now() + ttlSeconds * 1000 }
      const token = sealer.seal(PURPOSE, content)
      if (token.length >= lengthMin) return token
      // What is sealed is packed first, so what makes it longer must be random.
      const filler = randomBytes(lengthMin)
        .toString('base64url')
        .slice(0, lengthMin - token.length)
      return sealer.seal(PURPOSE, { ...content, filler } satisfies TokenContent)
    },
  }
}

/** The first of the values that is not empty. */
function firstValue(query: URLSearchParams, name: string): string {
  return query.getAll(name).find(value => value !== '') ?? ''
}
