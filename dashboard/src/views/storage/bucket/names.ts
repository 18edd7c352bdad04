// Names of objects as people see them: folders, and the last part. Pure.

import { API_URL } from '../../../api/addresses.ts'

/** A folder on the way to a place; `prefix` with its final slash. */
export interface Step {
  label: string
  prefix: string
}

/** `a/b/` as a and a/b. A folder may have no name: `a//b/`. */
export function stepsOf(folder: string): Step[] {
  const labels = folder.split('/').slice(0, -1)
  return labels.map((label, i) => ({
    label: label || '(no name)',
    prefix: `${labels.slice(0, i + 1).join('/')}/`,
  }))
}

/** The last part: of a folder that of its own. */
export function lastPart(name: string): string {
  return name.replace(/\/$/, '').split('/').at(-1) || '(no name)'
}

/** The object's address for whoever is signed in here. `download`: it is saved under this name; empty: its own. */
export function fileUrl(bucket: string, name: string, download?: string): string {
  // Slashes are encoded too: several in a row could become one on the way.
  const url = `${API_URL}/api/storage/objects/${encodeURIComponent(bucket)}/${encodeURIComponent(name)}`
  return download === undefined ? url : `${url}?download=${encodeURIComponent(download)}`
}

/** Where anybody reads a file of a public bucket, without a key. */
export function publicUrl(bucket: string, name: string): string {
  const path = [bucket, ...name.split('/')].map(encodeURIComponent).join('/')
  return `${API_URL}/storage/v1/object/public/${path}`
}
