// What of an answer is compared with another.

import type { DbAnswer } from '../caller.ts'

/** Lists are sorted where no order is asked for. Of a refusal: its code, and the relationships that it names. */
export function comparable({ status, headers, body }: DbAnswer, isOrdered: boolean): unknown {
  if (status >= 300)
    return { status, code: body.code, details: status === 300 ? sorted(body.details) : undefined }
  return { status, range: headers.get('content-range'), body: isOrdered ? body : sorted(body) }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]))
}
