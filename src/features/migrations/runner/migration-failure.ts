// A migration that did not run through: which one, at which statement, and why.

import type { MigrationFile } from '../migration-file.ts'
import { isRefusal } from './owner-session.ts'

export interface FailurePlace {
  /** The statement, cut to 400 characters; empty where the file failed before any. */
  readonly excerpt: string
  /** Line in a `.sql` file, from 1. */
  readonly line: number | null
}

const TEXT_CHARACTERS_MAX = 4_000
const NOWHERE: FailurePlace = { excerpt: '', line: null }

export class MigrationFailure extends Error {
  readonly file: MigrationFile
  readonly place: FailurePlace
  /** SQLSTATE where Postgres refused a statement. */
  readonly code: string | undefined
  readonly detail: string | undefined
  readonly hint: string | undefined

  constructor(file: MigrationFile, cause: unknown, place: FailurePlace = NOWHERE, hint?: string) {
    super(textOf(cause), { cause })
    this.name = 'MigrationFailure'
    this.file = file
    this.place = place
    const refusal = isRefusal(cause) ? cause : undefined
    this.code = refusal?.code
    this.detail = refusal?.detail
    this.hint = [refusal?.hint, hint].filter(Boolean).join(' ') || undefined
  }
}

/** What a file threw may be anything, also something that throws when it is looked at. */
export function textOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message : thrown
    return String(text).slice(0, TEXT_CHARACTERS_MAX).toWellFormed()
  } catch {
    return 'It threw something that cannot be shown.'
  }
}
