// A bucket's settings as they are typed, and the body that they become. Pure.

import type { Schema } from '../../api/schema.ts'
import { numberOf } from '../../parts/number-text.ts'

type Settings = Required<Schema<'BucketPatch'>>

/** Numbers as texts. */
export interface BucketDraft {
  isPublic: boolean
  limit: string
  unit: Unit
  types: string[]
}

export const UNITS = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const
export type Unit = keyof typeof UNITS

export const EMPTY_DRAFT: BucketDraft = { isPublic: false, limit: '', unit: 'MiB', types: [] }

/** In the largest unit that divides the limit. */
export function draftOf(bucket: Settings): BucketDraft {
  const { file_size_limit: limit, allowed_mime_types: types } = bucket
  const fitting = Object.entries(UNITS).filter(([, bytes]) => limit !== null && limit % bytes === 0)
  const [unit, bytes] = fitting.at(-1) ?? ['MiB', 1]
  return {
    isPublic: bucket.public,
    limit: limit === null ? '' : String(limit / bytes),
    unit: unit as Unit,
    types: types ?? [],
  }
}

/** What is no number goes to the server as it is, which says what it must be. */
export function settingsOf({ isPublic, limit, unit, types }: BucketDraft): Settings {
  const number = numberOf(limit)
  return {
    public: isPublic,
    file_size_limit: typeof number === 'number' ? Math.round(number * UNITS[unit]) : number,
    allowed_mime_types: types.length === 0 ? null : types,
  }
}

/** What differs, and nothing else: the rest may be somebody else's change meanwhile. */
export function changesOf(before: Settings, draft: BucketDraft): Partial<Settings> {
  const after = settingsOf(draft)
  const names = ['public', 'file_size_limit', 'allowed_mime_types'] as const
  return Object.fromEntries(
    names
      .filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map(name => [name, after[name]]),
  )
}
