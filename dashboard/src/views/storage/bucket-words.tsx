// A bucket in words, as its list and its page say it.

import { State } from '../../parts/state.tsx'
import type { Bucket } from './queries.ts'

/** Public needs attention: past all policies. */
export function Reach({ of: bucket }: { of: Bucket }) {
  return bucket.public ? <State tone="attention">Public</State> : <State tone="good">By policies</State>
}

export function filesWords(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`
}

export function foldersWords(count: number): string {
  return count === 1 ? '1 folder' : `${count.toLocaleString('en')} folders`
}
