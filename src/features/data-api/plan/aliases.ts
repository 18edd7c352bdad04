// Names for relations within one statement. Pure.

import { NAME_BYTES_MAX } from '../limits.ts'

const ENCODER = new TextEncoder()

/**
 * Takes a name as PostgREST gives it, `films_1`, which errors of Postgres show. It is none of `names`, where it is put,
 * and no longer than Postgres takes: what that cuts off might make it another's.
 */
export function takeAlias(relation: string, depth: number, names: Set<string>): string {
  let suffix = `_${depth}`
  const alias = () => `${cut(relation, NAME_BYTES_MAX - suffix.length)}${suffix}`
  while (names.has(alias())) suffix = `_${suffix}`
  names.add(alias())
  return alias()
}

function cut(name: string, bytesMax: number): string {
  let start = name
  while (ENCODER.encode(start).length > bytesMax) start = [...start].slice(0, -1).join('')
  return start
}
