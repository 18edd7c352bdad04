// The page tokens of Hydra's lists, and their Link header.

import * as service from '../../service/page-tokens.ts'
import { malformed } from './hydra-error.ts'

export interface PageTokens {
  /**
   * Reads `page_size` and `page_token` for the list named `list`; a `HydraError` 400 when one is unreadable or too
   * old.
   */
  read(list: string, query: URLSearchParams): service.Page
  /** The Link header of that page; `next` is where the next page begins, undefined on the last. */
  link(list: string, url: URL, page: service.Page, next: string | undefined): string
}

/** Tokens of one server: they survive its restart as long as `secret` stays. */
export function makePageTokens(secret: string, ttlSeconds: number, now: () => number): PageTokens {
  const tokens = service.makePageTokens({ secret, ttlSeconds, now, refuse: malformed })
  return {
    read: tokens.read,
    link(list, url, page, next) {
      const parts = [linkPart(url, page.size, 'first', tokens.write(list, ''))]
      if (next !== undefined) parts.push(linkPart(url, page.size, 'next', tokens.write(list, next)))
      return parts.join(',')
    },
  }
}

/** Path and query without a host; the parameters in the order of their names. */
function linkPart(url: URL, size: number, rel: string, token: string): string {
  const query = new URLSearchParams(url.search)
  query.set('page_size', String(size))
  query.set('page_token', token)
  query.sort()
  return `<${url.pathname}?${query}>; rel="${rel}"`
}
