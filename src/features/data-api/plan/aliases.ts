// Names for relations within one statement. Pure.

import { NAME_BYTES_MAX } from '../limits.ts'

const ENCODER = new TextEncoder()

/**
 * A name as PostgREST gives it, `films_1`, which errors of Postgres show. It is none of `taken`, which lie above and
 * would be hidden by it, and no longer than Postgres takes: what that cuts off might make it another's.
 */
export function aliasOf(relation: string, depth: number, taken: readonly string[]): string {
  for (let suffix = `_${depth}`; ; suffix = `_${suffix}`) {
    const alias = `${cut(relation, NAME_BYTES_MAX - suffix.length)}${suffix}`
    if (!taken.includes(alias)) return alias
  }
}

function cut(name: string, bytesMax: number): string {
  let start = name
  while (ENCODER.encode(start).length > bytesMax) start = [...start].slice(0, -1).join('')
  return start
}
