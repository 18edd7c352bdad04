// The wires that are spoken. One more is a file beside this one and a place in this list.

import { POSTGREST_WIRE } from './postgrest.ts'
import { REALTIME_WIRE } from './realtime.ts'
import { STORAGE_WIRE } from './storage.ts'
import type { Wire } from './wire.ts'

export const WIRES: readonly Wire[] = [POSTGREST_WIRE, STORAGE_WIRE, REALTIME_WIRE]

/** The wire that a path belongs to; undefined for our own paths. */
export function wireOf(path: string): Wire | undefined {
  return WIRES.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
}
