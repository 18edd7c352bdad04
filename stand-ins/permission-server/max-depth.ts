// The query parameter `max-depth`. Pure.

import { unreadable } from '../service/wire-error.ts'

/** 0 when it is not given; throws 400 when it is no integer. */
export function readMaxDepth(query: URLSearchParams): number {
  const given = query.get('max-depth') ?? '0'
  if (/^[+-]?\d{1,15}$/.test(given)) return Number(given)
  throw unreadable("unable to parse 'max-depth' query parameter to int")
}
