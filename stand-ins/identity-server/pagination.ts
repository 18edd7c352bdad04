// Pages of lists: `page_size` and `page_token` as the `Link` header gives it, or the older `per_page` and `page`. Pure.

import { badRequest } from '../service/wire-error.ts'

const SIZE_DEFAULT = 250

export interface Paging {
  readonly size: number
  readonly offset: number
  /** Goes on after this one; empty for the first page. */
  readonly after: string
}

/** `pageOne` is the number of the first page; `token` is what a page token looks like. */
export interface PagingRule {
  readonly max: number
  readonly pageOne: 0 | 1
  readonly token: RegExp
}

/** Throws 400 for a token of nobody's making and for numbers that are none. */
export function readPaging(query: URLSearchParams, { max, pageOne, token }: PagingRule): Paging {
  const after = query.get('page_token') ?? ''
  if (after !== '' && !token.test(after)) throw badRequest('The page token is invalid.')
  const asked = readInteger(query.get('page_size') || query.get('per_page') || '0')
  const size = asked <= 0 ? SIZE_DEFAULT : Math.min(asked, max)
  const page = after === '' ? readInteger(query.get('page') || '0') : pageOne
  return { size, after, offset: Math.max(0, page - pageOne) * size }
}

/** The `Link` header; `next` is the token of the next page, undefined on the last one. */
export function pageLink(path: string, query: URLSearchParams, { size }: Paging, next?: string): string {
  const link = (rel: string, token: string) => {
    const changed = new URLSearchParams(query)
    for (const name of ['page', 'per_page', 'page_token']) changed.delete(name)
    changed.set('page_size', String(size))
    if (token !== '') changed.set('page_token', token)
    return `<${path}?${changed}>; rel="${rel}"`
  }
  return [link('first', ''), ...(next === undefined ? [] : [link('next', next)])].join(',')
}

function readInteger(text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw badRequest(`${text} is no number.`)
}
