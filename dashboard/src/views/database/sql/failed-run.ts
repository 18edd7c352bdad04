// Why a run failed, in terms of the editor's text.

import { ApiError } from '../../../api/errors.ts'
import type { TextRange } from '../../../parts/code-mirror.tsx'
import { placedInText, placeOfError } from './place.ts'
import { linesBefore, type SqlCheck, type Way } from './queries.ts'

/** What was asked for, as it was when it was asked. */
export interface Asked {
  way: Way
  /** The text of the editor, and what of it is sent: all, or what is selected, from `from` on. */
  text: string
  sent: string
  from: number
  /** What the Worker said of it; undefined for what is no SQL. */
  check?: SqlCheck | undefined
}

/** `cause` has its place in the whole text; `place` is what to mark there. `title` says which statement failed. */
export class FailedRun extends Error {
  override readonly cause: Error
  readonly place: TextRange | undefined
  readonly title: string | undefined

  constructor(cause: Error, place?: TextRange, title?: string) {
    super(cause.message)
    this.cause = cause
    this.place = place
    this.title = title
  }
}

/** What a script has changed is undone when it fails: the title says so. */
export function failedRun(err: Error, { way, text, sent, from, check }: Asked): FailedRun {
  const statements = check?.statements ?? []
  if (statements.length <= 1) {
    const word = placeOfError(err, sent, linesBefore(way))
    return new FailedRun(placedInText(err, text, from, linesBefore(way)), word && moved(word, from))
  }
  const index = err instanceof ApiError ? err.statementIndex : undefined
  if (index === statements.length)
    return new FailedRun(err, undefined, 'The script failed at its end, and nothing of it was kept')
  const failed = index === undefined ? undefined : statements[index]
  if (index === undefined || failed === undefined) return new FailedRun(err)
  const begin = from + failed.offset
  const word = placeOfError(err, failed.sql, 0) ?? { from: 0, to: failed.sql.length }
  return new FailedRun(
    placedInText(err, text, begin, 0),
    moved(word, begin),
    `Statement ${index + 1} of ${statements.length} failed, and nothing of the script was kept`,
  )
}

function moved({ from, to }: TextRange, by: number): TextRange {
  return { from: from + by, to: to + by }
}
