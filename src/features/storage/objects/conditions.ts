// Conditional requests and ranges (RFC 9110 sections 13 and 14), for one file. Pure.

import { DomainError } from '../../../errors.ts'
import type { BlobMetadata } from '../object-row.ts'

/** Bytes of a file: from `offset`, `length` of them. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

type Known = Pick<BlobMetadata, 'eTag' | 'lastModified' | 'size'>

/** What a request's conditions come to. */
export type Condition = 'met' | 'not_modified' | 'precondition_failed'

/** In the order of RFC 9110 section 13.2.2; times count in whole seconds, since headers have no more. */
export function checkConditions(headers: Headers, known: Known): Condition {
  const modified = Math.floor(Date.parse(known.lastModified) / 1000) * 1000
  const ifMatch = headers.get('if-match')
  const unmodifiedSince = Date.parse(headers.get('if-unmodified-since') ?? '')
  if (ifMatch !== null ? !listHas(ifMatch, known.eTag, false) : modified > unmodifiedSince)
    return 'precondition_failed'
  const ifNoneMatch = headers.get('if-none-match')
  if (ifNoneMatch !== null) return listHas(ifNoneMatch, known.eTag, true) ? 'not_modified' : 'met'
  return modified <= Date.parse(headers.get('if-modified-since') ?? '') ? 'not_modified' : 'met'
}

function listHas(list: string, eTag: string, isWeak: boolean): boolean {
  if (list.trim() === '*') return true
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some(tag => (isWeak ? tag.replace(/^W\//, '') : tag) === eTag)
}

/**
 * The range that is asked for; undefined: the whole file. Throws `invalid_range` for one past the end, and for several
 * at once. What is no range of bytes is ignored, as the RFC wants.
 */
export function readRange(headers: Headers, known: Known): ByteRange | undefined {
  const asked = headers.get('range')
  if (asked === null || !isStillTheSame(headers.get('if-range'), known)) return undefined
  const ranges = /^bytes=(.*)$/i.exec(asked.trim())?.[1]
  if (ranges === undefined) return undefined
  if (ranges.includes(',')) throw invalidRange(known.size, 'Ask for one range at a time.')
  const [, first = '', last = ''] = /^\s*(\d*)-(\d*)\s*$/.exec(ranges) ?? []
  if (first === '' && last === '') return undefined
  const offset = first === '' ? Math.max(0, known.size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? known.size : Math.min(Number(last) + 1, known.size)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (end <= offset) throw invalidRange(known.size, `The file has ${known.size} bytes, the first is byte 0.`)
  return { offset, length: end - offset }
}

function isStillTheSame(ifRange: string | null, { eTag, lastModified }: Known): boolean {
  if (ifRange === null) return true
  if (ifRange.startsWith('"')) return ifRange === eTag
  return Date.parse(ifRange) === Math.floor(Date.parse(lastModified) / 1000) * 1000
}

function invalidRange(size: number, hint: string): DomainError {
  return new DomainError('invalid_range', 'The range is not in the file.', { hint, totalBytes: size })
}
