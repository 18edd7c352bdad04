// The query parameter `max-depth`, an integer as Go writes it. Pure.

import { unreadable } from '../service/wire-error.ts'

const GO_INTEGER = /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|[1-9](?:_?\d)*|0)$/
const INT64_END = 2n ** 63n

/** 0 when it is not given; throws 400 when it is no integer of 64 bits. */
export function readMaxDepth(query: URLSearchParams): number {
  const given = query.get('max-depth')
  if (given === null) return 0
  const [, sign, digits] = GO_INTEGER.exec(given) ?? []
  if (digits === undefined) throw refused(given, 'invalid syntax')
  const size = BigInt(digits.replaceAll('_', '').replace(/^0(?=\d)/, '0o'))
  if (size > (sign === '-' ? INT64_END : INT64_END - 1n)) throw refused(given, 'value out of range')
  return sign === '-' ? -Number(size) : Number(size)
}

function refused(given: string, reason: string) {
  const what = `strconv.ParseInt: parsing ${JSON.stringify(given)}: ${reason}`
  return unreadable(`unable to parse 'max-depth' query parameter to int: ${what}`)
}
