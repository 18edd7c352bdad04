// What a list of files shows: folders and files alike. Pure.

import type { Schema } from '../../../api/schema.ts'

type StoredObject = Schema<'StoredObject'>

/** A file, or a folder: its name ends with a slash, and it has no record. */
export interface Entry {
  name: string
  file: StoredObject | undefined
}

/** A file's name may end with a slash too. */
export const keyOf = ({ name, file }: Entry) => `${file === undefined ? 'folder' : 'file'} ${name}`

/** Folders first. A page may shift while others write: each name once. */
export function entriesOf(pages: readonly { data: StoredObject[]; folders: string[] }[]): Entry[] {
  const folders = pages.flatMap(page => page.folders.map((name): Entry => ({ name, file: undefined })))
  const files = pages.flatMap(page => page.data.map((file): Entry => ({ name: file.name, file })))
  return [...new Map([...folders, ...files].map(entry => [keyOf(entry), entry])).values()]
}

/** Names by what they are of. */
export function partsOf(entries: readonly Entry[]): { folders: string[]; files: string[] } {
  return {
    folders: entries.flatMap(({ name, file }) => (file === undefined ? name : [])),
    files: entries.flatMap(({ file }) => file?.name ?? []),
  }
}
