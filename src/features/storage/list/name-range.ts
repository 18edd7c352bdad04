// Which names begin with a prefix, as a range of the index: from the prefix itself to before the first text behind it.
// Names compare as bytes of UTF-8, which is the order of their code points. Pure.

import type { ListPosition } from './cursor.ts'

const LAST_CODE_POINT = 0x10ffff
/** Behind all names, but for those that begin with the last code point there is, which is no character. */
const BEHIND_ALL = String.fromCodePoint(LAST_CODE_POINT)

/** The first text behind all that begin with the prefix. */
export function behindPrefix(prefix: string): string {
  const points = Array.from(prefix, character => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return BEHIND_ALL
  // Surrogates are no characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}

/** The first text behind an entry: behind a folder with all that is in it, or behind one name. */
export function behindEntry({ name, isFolder }: ListPosition): string {
  return isFolder ? behindPrefix(name) : `${name}\u0001`
}

/** SQL of the folder of `o.name` below the prefix, with its slash; null for what lies right there. */
export function folderSql(prefix: string, hasFolders: string): string {
  const rest = `pg_catalog.substr(o.name, pg_catalog.length(${prefix}) + 1)`
  return `case when ${hasFolders} and pg_catalog.strpos(${rest}, '/') > 0
    then pg_catalog.left(o.name, pg_catalog.length(${prefix}) + pg_catalog.strpos(${rest}, '/')) end`
}
