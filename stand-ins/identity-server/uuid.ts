// Ids, in any letter case. Pure.

import * as z from 'zod'
import { unreadable } from '../service/wire-error.ts'

/** Any version, read in small letters. */
export const Uuid = z.guid().toLowerCase()

/** The id in its canonical spelling; undefined when it is none. */
export function parseUuid(text: string): string | undefined {
  return Uuid.safeParse(text).data
}

/** The same for where a bad one is the caller's fault: 400. */
export function requireUuid(text: string): string {
  const id = parseUuid(text)
  if (id === undefined) throw unreadable('the id is no UUID')
  return id
}
