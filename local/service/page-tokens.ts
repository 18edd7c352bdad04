// Page tokens and page sizes, as Hydra and Keto read them by the same library. A token is sealed, so that nobody makes
// one, and carries the time when it ends.

import { makeSealer } from './sealed-values.ts'

const SIZE_DEFAULT = 100
const SIZE_MAX = 500
const INT64_MAX = 2 ** 63
const PURPOSE = 'page-token'

/** The reason of the refusal of a token that was made for another list. */
export const FOREIGN_TOKEN = 'invalid pagination token'

/** What the caller asked for: rows after `after` (the empty text is the start), at most `size`. */
export interface Page {
  readonly after: string
  readonly size: number
}

export interface PageTokens {
  /** Reads `page_token` and then `page_size` for the list named `list`; throws what `refuse` makes of the reason. */
  read(list: string, query: URLSearchParams): Page
  /** The token of the page that begins after `after`. */
  write(list: string, after: string): string
}

interface PageTokenSettings {
  /** Tokens survive a restart as long as it stays. */
  readonly secret: string
  readonly ttlSeconds: number
  readonly now: () => number
  readonly refuse: (reason: string) => Error
}

interface TokenContent {
  readonly list: string
  readonly after: string
  readonly expiresAt: number
}

export function makePageTokens({ secret, ttlSeconds, now, refuse }: PageTokenSettings): PageTokens {
  const sealer = makeSealer(secret)
  const open = (list: string, token: string) => {
    const content = sealer.open(PURPOSE, token) as TokenContent | undefined
    if (content === undefined) throw refuse('cannot decrypt token')
    if (content.list !== list) throw refuse(FOREIGN_TOKEN)
    if (content.expiresAt < now()) throw refuse('page token expired, do not persist page tokens')
    return content.after
  }
  const readSize = (text: string) => {
    if (text === '') return SIZE_DEFAULT
    if (!/^[+-]?\d+$/.test(text))
      throw refuse(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
    const size = Number(text)
    if (Math.abs(size) > INT64_MAX)
      throw refuse(`strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`)
    return size <= 0 ? SIZE_DEFAULT : Math.min(size, SIZE_MAX)
  }
  return {
    read(list, query) {
      const token = firstValue(query, 'page_token')
      return { after: token === '' ? '' : open(list, token), size: readSize(firstValue(query, 'page_size')) }
    },
    write: (list, after) =>
      sealer.seal(PURPOSE, { list, after, expiresAt: now() + ttlSeconds * 1000 } satisfies TokenContent),
  }
}

/** The first of the values that is not empty. */
function firstValue(query: URLSearchParams, name: string): string {
  return query.getAll(name).find(value => value !== '') ?? ''
}
