// The report of who can access an object, asked in the view's words. Pure.

import type { AccessReport } from './queries.ts'

/** One mark of the matrix: a subject, in its text form, and a relation or permit. */
export interface Mark {
  subject: string
  by: string
}

/** The chain behind a mark; undefined where there is no such mark. */
export function viaOf(report: AccessReport, { subject, by }: Mark): readonly string[] | undefined {
  const entry = report.subjects.find(each => each.subject === subject)
  return (
    entry?.relations.find(({ relation }) => relation === by)?.via ??
    entry?.permits.find(({ permit }) => permit === by)?.via
  )
}

/** The first mark that a subject has. */
export function markedBy(report: AccessReport, subject: string): Mark | undefined {
  const entry = report.subjects.find(each => each.subject === subject)
  const by = entry?.relations[0]?.relation ?? entry?.permits[0]?.permit
  return by === undefined ? undefined : { subject, by }
}

/** False: a missing mark of this column may be one that could not be found. */
export function isComplete(report: AccessReport, column: string): boolean {
  return report.permits.find(({ permit }) => permit === column)?.complete ?? report.complete
}

export interface Loss {
  subject: string
  /** Relations and permits. */
  loses: string[]
  keeps: string[]
}

/** What each subject has in the one and not in the other. */
export function lossesBetween(before: AccessReport, after: AccessReport): Loss[] {
  const columns = columnsOf(before)
  return before.subjects.flatMap(({ subject }) => {
    const had = columns.filter(column => before.matrix[subject]?.[column])
    const keeps = had.filter(column => after.matrix[subject]?.[column])
    const loses = had.filter(column => !keeps.includes(column))
    return loses.length === 0 ? [] : [{ subject, loses, keeps }]
  })
}

export function columnsOf({ relations, permits }: AccessReport): string[] {
  return [...relations, ...permits.map(({ permit }) => permit)]
}
