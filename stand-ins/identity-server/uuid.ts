// Ids as Kratos reads them: with or without dashes, in any letter case, in braces or as a URN. Pure.

import { unreadable } from '../service/wire-error.ts'

const HEX = /^[0-9a-f]{32}$/
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** The id in its canonical spelling; undefined when it is none. */
export function parseUuid(text: string): string | undefined {
  const bare = text
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1')
  if (CANONICAL.test(bare)) return bare
  if (!HEX.test(bare)) return undefined
  return bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The same for where a bad one is the caller's fault: 400. */
export function requireUuid(text: string): string {
  const id = parseUuid(text)
  if (id === undefined)
    throw unreadable(`uuid: incorrect UUID length ${text.length} in string ${JSON.stringify(text)}`)
  return id
}
