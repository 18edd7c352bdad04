// The three ways in which Kratos pages its lists, with the `Link` header of each. Pure. The arithmetic of the old pages
// is the real server's, its faults included: clients were written against those.

import { badRequest, WireError } from '../service/wire-error.ts'
import { NIL_UUID, parseUuid } from './uuid.ts'

const SIZE_DEFAULT = 250
const IDENTITIES_MAX = 500
const SESSIONS_MAX = 1000
/** How far the old pages of identities reach. */
const OLD_PAGES_REACH = 1000

export interface Keyset {
  readonly kind: 'keyset'
  readonly size: number
  /** Goes on after this one. */
  readonly token: string
}
export interface OldPage {
  readonly kind: 'page'
  readonly page: number
  readonly size: number
}
export type IdentityPaging = Keyset | OldPage

export const invalidPageToken = () =>
  badRequest('The page token is invalid, do not craft your own page tokens')

/** `page_size` and `page_token` by id; `page` alone means the old pages, counted from 0. */
export function parseIdentityPaging(query: URLSearchParams): IdentityPaging {
  if (!query.has('page_token') && !query.has('page_size')) {
    if (query.has('page')) return parseOldPage(query)
    const size = query.get('per_page') ?? ''
    return { kind: 'keyset', size: parseSize(size, IDENTITIES_MAX), token: NIL_UUID }
  }
  const size = parseSize(query.get('page_size') ?? '', IDENTITIES_MAX)
  const token = parseUuid(query.get('page_token') || NIL_UUID)
  if (token === undefined) throw invalidPageToken()
  return { kind: 'keyset', size, token }
}

function parseOldPage(query: URLSearchParams): OldPage {
  const page = Math.max(0, parseInteger(query.get('page')) ?? 0)
  const size = clampOldSize(parseInteger(query.get('per_page')) ?? SIZE_DEFAULT, IDENTITIES_MAX)
  if (page * size > OLD_PAGES_REACH) {
    throw badRequest(`Old pages reach to ${OLD_PAGES_REACH} items only: use page_token and page_size.`)
  }
  return { kind: 'page', page, size }
}

/** 400 of the list of all sessions. */
export const unreadablePaging = () => new WireError(400, { message: 'could not parse parameter page_size' })

/** `page_size` of the list of all sessions; its token is read by whoever made it. */
export function parseSessionsSize(query: URLSearchParams): number {
  try {
    return parseSize(query.get('page_size') ?? '', SESSIONS_MAX)
  } catch {
    // Kratos has other words for this list.
    throw unreadablePaging()
  }
}

/** Pages of one identity's sessions: 0 and 1 both mean the first. Nothing is refused; what is no number is left out. */
export function parseSessionPage(query: URLSearchParams): OldPage {
  if (!query.has('page_token') && !query.has('page_size')) {
    const size = clampOldSize(parseInteger(query.get('per_page')) ?? SIZE_DEFAULT, SESSIONS_MAX)
    return { kind: 'page', page: Math.max(0, parseInteger(query.get('page')) ?? 0), size }
  }
  const size = clampOldSize(parseInteger(query.get('page_size')) ?? SIZE_DEFAULT, SESSIONS_MAX)
  const offset = decodeOffset(query.get('page_token') ?? '')
  return { kind: 'page', page: Math.max(0, Math.floor(offset / size)), size }
}

/** `Link` of a keyset list; `next` is the token of the next page, undefined on the last one. */
export function keysetLink(
  path: string,
  query: URLSearchParams,
  size: number,
  first: string,
  next?: string,
): string {
  const kept = new URLSearchParams(query)
  if (!query.has('page_size')) kept.delete('per_page')
  const link = (rel: string, token: string) =>
    linkOf(path, kept, { page_size: String(size), page_token: token }, rel)
  return [link('first', first), ...(next === undefined ? [] : [link('next', next)])].join(',')
}

/** `Link` of the old pages of identities. */
export function oldPageLink(path: string, query: URLSearchParams, total: number, at: OldPage): string {
  return pageLinks(total, at, (rel, size, offset) =>
    linkOf(path, query, { per_page: String(size), page: String(offset / size) }, rel),
  )
}

/** `Link` of one identity's sessions, which names the page in both ways. */
export function sessionPageLink(path: string, query: URLSearchParams, total: number, at: OldPage): string {
  return pageLinks(total, at, (rel, size, offset) => {
    const token = Buffer.from(`{"offset":"${offset}","v":2}`).toString('base64url')
    const set = {
      page_size: String(size),
      page_token: token,
      per_page: String(size),
      page: String(offset / size),
    }
    return linkOf(path, query, set, rel)
  })
}

function pageLinks(
  total: number,
  { page, size }: OldPage,
  link: (rel: string, size: number, offset: number) => string,
): string {
  const offset = page * size
  const lastOffset = total % size === 0 ? total - size : Math.floor(total / size) * size
  const first = () => link('first', size, 0)
  const next = () => link('next', size, (page + 1) * size)
  const previous = () => link('prev', size, (page - 1) * size)
  if (offset >= lastOffset) {
    if (total === 0) return [first(), next(), previous()].join(',')
    if (total <= size) return link('first', total, 0)
    return [first(), link('prev', size, lastOffset - size)].join(',')
  }
  if (offset < size) return [link('next', size, size), link('last', size, lastOffset)].join(',')
  return [first(), next(), previous(), link('last', size, lastOffset)].join(',')
}

function linkOf(path: string, query: URLSearchParams, set: Record<string, string>, rel: string): string {
  const changed = new URLSearchParams(query)
  for (const [name, value] of Object.entries(set)) changed.set(name, value)
  changed.sort()
  return `<${path}?${changed}>; rel="${rel}"`
}

function parseSize(text: string, max: number): number {
  if (text === '') return SIZE_DEFAULT
  const size = parseInteger(text)
  if (size === undefined) throw badRequest('page_size is no number')
  return size <= 0 ? SIZE_DEFAULT : Math.min(size, max)
}

function clampOldSize(size: number, max: number): number {
  return Math.min(Math.max(size, 1), max)
}

function parseInteger(text: string | null): number | undefined {
  return text !== null && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined
}

function decodeOffset(token: string): number {
  const offset = /"offset":"?(-?\d{1,15})/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  return Number(offset ?? 0)
}
