// How values stand in addresses. A text stands as it is, also one that looks like a number: ids and names do. Flags,
// lists and objects are JSON.

import { stringifySearchWith } from '@tanstack/react-router'

const JSON_VALUE = /^(?:true$|false$|["[{])/

/** Throws for what is a plain text. */
function readJson(text: string): unknown {
  if (!JSON_VALUE.test(text)) throw new Error('a text')
  return JSON.parse(text)
}

function readValue(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return text
  }
}

/** A name that comes several times has the list of its values. */
export function parseSearch(search: string): Record<string, unknown> {
  const all = new URLSearchParams(search)
  return Object.fromEntries(
    [...new Set(all.keys())].map(name => {
      const values = all.getAll(name).map(readValue)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** A text that would be read as something else is put in quotation marks. */
export const stringifySearch = stringifySearchWith(JSON.stringify, readJson)

/** `path?...` with values that come back as they are, whatever is in them; what is undefined is left out. */
export function addressOf(
  path: string,
  search: Readonly<Record<string, string | boolean | undefined>>,
): string {
  return path + stringifySearch(search)
}
