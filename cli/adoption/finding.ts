// What is wrong with a database that Quoin is to move into, for the terminal.

export interface Finding {
  readonly what: string
  /** Undefined: no statement mends it, or none that could be printed without danger. */
  readonly mend?: {
    /** Who may run it. */
    readonly by: string
    readonly sql: string
  }
}

/**
 * A sentence, then the SQL by itself, to be copied. A name in the sentence, which a caller may have chosen, cannot look
 * like lines of its own.
 */
export function findingText(finding: Finding): string {
  const mend = finding.mend
  const what = finding.what.replaceAll(/\p{Cc}/gu, ' ')
  return mend === undefined
    ? `\n${what}`
    : `\n${what} Run as ${mend.by}:\n\n${mend.sql.replaceAll(/^/gm, '  ')}`
}
