// Page tokens and the Link header of lists. A token is sealed, so that nobody makes one, and lives an hour.

import { readQuery, writeQuery } from '../../service/go-query.ts'
import { makeSealer } from '../../service/sealed-values.ts'
import { malformed } from './hydra-error.ts'

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
  /**
   * Reads `page_size` and `page_token` for the list named `list`; a `HydraError` 400 when one is unreadable or too
   * old.
   */
  read(list: string, query: URLSearchParams): Page
  /** The Link header of that page; `next` is where the next page begins, undefined on the last. */
  link(list: string, url: URL, page: Page, next: string | undefined): string
}

interface TokenContent {
  readonly list: string
  readonly after: string
  readonly expiresAt: number
}

/** Tokens of one server: they survive its restart as long as `secret` stays. */
export function makePageTokens(secret: string, ttlSeconds: number, now: () => number): PageTokens {
  const sealer = makeSealer(secret)
  const make = (list: string, after: string) =>
    sealer.seal(PURPOSE, { list, after, expiresAt: now() + ttlSeconds * 1000 } satisfies TokenContent)
  const read = (list: string, token: string) => {
    const content = sealer.open(PURPOSE, token) as TokenContent | undefined
    if (content === undefined) throw unreadable('cannot decrypt token')
    if (content.list !== list) throw malformed(FOREIGN_TOKEN)
    if (content.expiresAt < now()) throw unreadable('page token expired, do not persist page tokens')
    return content.after
  }
  return {
    read(list, query) {
      const token = firstValue(query, 'page_token')
      return { after: token === '' ? '' : read(list, token), size: readSize(firstValue(query, 'page_size')) }
    },
    link(list, url, page, next) {
      const parts = [linkPart(url, page.size, 'first', make(list, ''))]
      if (next !== undefined) parts.push(linkPart(url, page.size, 'next', make(list, next)))
      return parts.join(',')
    },
  }
}

/** The first of the values that is not empty, as Hydra takes it. */
function firstValue(query: URLSearchParams, name: string): string {
  return query.getAll(name).find(value => value !== '') ?? ''
}

function readSize(text: string): number {
  if (text === '') return SIZE_DEFAULT
  if (!/^[+-]?\d+$/.test(text)) throw unreadable(`strconv.Atoi: parsing '${text}': invalid syntax`)
  const size = Number(text)
  if (Math.abs(size) > INT64_MAX) throw unreadable(`strconv.Atoi: parsing '${text}': value out of range`)
  return size <= 0 ? SIZE_DEFAULT : Math.min(size, SIZE_MAX)
}

/** Path and query without a host; the parameters in the order of their names. */
function linkPart(url: URL, size: number, rel: string, token: string): string {
  const query = readQuery(url)
  query.set('page_size', String(size))
  query.set('page_token', token)
  return `<${url.pathname}?${writeQuery(query)}>; rel="${rel}"`
}

function unreadable(reason: string) {
  return malformed(`Unable to parse pagination parameters: ${reason}`)
}
