// The files in what was dropped, with those of its folders.

import type { FoundFile } from './use-uploads.ts'

/** Must be called within the event: afterwards its items are gone. Rejects where a folder cannot be read. */
export async function droppedFiles({ items }: DataTransfer): Promise<FoundFile[]> {
  const dropped = [...items].filter(({ kind }) => kind === 'file')
  const found = await Promise.all(dropped.map(item => filesOf(item.webkitGetAsEntry() ?? item.getAsFile())))
  return found.flat()
}

async function filesOf(entry: FileSystemEntry | File | null): Promise<FoundFile[]> {
  if (entry === null) return []
  // What no folder of a disk has, as a picture that another page made.
  if (entry instanceof File) return [{ path: entry.name, file: entry }]
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ path: entry.fullPath.replace(/^\//, ''), file }]
  }
  if (!isFolder(entry)) return []
  const found: FoundFile[] = []
  for (const child of await childrenOf(entry)) found.push(...(await filesOf(child)))
  return found
}

/** A reader gives a part with each call, and an empty one at its end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return all
    all.push(...part)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
