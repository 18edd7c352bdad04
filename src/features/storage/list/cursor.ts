// Where a page of a list by name ends. Pure.

import * as z from 'zod'
import { DomainError } from '../../../errors.ts'
import { decodeBase64Url, encodeBase64Url } from '../../../lib/base64url.ts'
import { isStorable } from '../names.ts'

/** An entry's place in the list: a folder is passed with all that is in it. */
export interface ListPosition {
  readonly name: string
  readonly isFolder: boolean
}

const Position = z.tuple([z.enum(['folder', 'object']), z.string().max(1_024)])

/** The cursor of the page behind this place. */
export function writeCursor({ name, isFolder }: ListPosition): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify([isFolder ? 'folder' : 'object', name])))
}

/** The place in a cursor; null: the beginning. Throws `invalid_parameter`. */
export function readCursor(cursor: string | undefined): ListPosition | null {
  if (cursor === undefined) return null
  try {
    const [kind, name] = Position.parse(JSON.parse(new TextDecoder().decode(decodeBase64Url(cursor))))
    if (!isStorable(name)) throw new Error('no name has this')
    return { name, isFolder: kind === 'folder' }
  } catch (cause) {
    throw new DomainError('invalid_parameter', 'cursor: not a cursor of this list.', {
      hint: 'Send the cursor of the page before as it is, or leave it out for the first page.',
      cause,
    })
  }
}
