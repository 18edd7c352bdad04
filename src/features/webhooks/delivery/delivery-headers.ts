// The headers of a delivery: which of their own webhooks may set, and what every delivery says. Pure.

import { VERSION } from '../../../lib/version.ts'

/** Hop-by-hop (RFC 9110 section 7.6.1), framing, and what describes the body, which is ours. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-request-id',
  'x-service-signature',
])
/** The platform's own (it writes some of them itself), and ours. */
const RESERVED_PREFIXES = ['cf-', 'x-quoin-']

const HEADERS_MAX = 50
/** Of all names and values together. */
const HEADER_BYTES_MAX = 8 * 1024

/** What is wrong with custom headers, as a sentence that names the header; undefined for good ones. */
export function headersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > HEADERS_MAX) return `takes at most ${HEADERS_MAX} headers`
  let size = 0
  for (const [name, value] of entries) {
    size += name.length + value.length
    const problem = headerProblem(name, value)
    if (problem !== undefined) return problem
  }
  const names = entries.map(([name]) => name.toLowerCase())
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? headersTooLarge(size) : `names "${twice}" twice`
}

/** What is wrong with headers of this size, names and values; undefined for a size that receivers take. */
export function headersTooLarge(size: number): string | undefined {
  return size > HEADER_BYTES_MAX ? `takes at most ${HEADER_BYTES_MAX} characters in all` : undefined
}

function headerProblem(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 60))
  if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)) return `holds ${shown}, which is not a header name`
  if (isReserved(name)) return `must not set ${shown}, which belongs to the connection or to Quoin`
  if (!/^[\t\x20-\x7e]*$/.test(value)) return `holds a line break or a character outside ASCII in ${shown}`
  return undefined
}

function isReserved(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some(prefix => lower.startsWith(prefix))
}

/** All headers of a delivery. Custom ones that may not be set are left out: rows may be older than a rule. */
export function deliveryHeaders(
  custom: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const allowed = Object.entries(custom).filter(([name, value]) => headerProblem(name, value) === undefined)
  return {
    'user-agent': `Quoin-Webhooks/${VERSION}`,
    ...Object.fromEntries(allowed.map(([name, value]) => [name.toLowerCase(), value])),
    'content-type': 'application/json',
    ...own,
  }
}
