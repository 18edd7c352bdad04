// Statements that rely on a COMMIT which the run does not make before them. Pure; read from the texts, so that what
// the parser cannot take is seen too. Nothing is said where it cannot be seen: Postgres refuses it then.

import type { AnalysedStatement } from './analysed-statements.ts'

const MAKES_ENUM = /^create\s+type\s+(\S+)\s+as\s+enum\b/i
const ADDS_VALUE = /^alter\s+type\s+(\S+)\s+add\s+value\s+(?:if\s+not\s+exists\s+)?('(?:[^']|'')*')/i
const MAKES_ROUTINE = /^create\s+(?:or\s+replace\s+)?(?:function|procedure)\b/i
const IN_SQL = /\blanguage\s+'?sql\b/i
const LITERAL = /'(?:[^']|'')*'/g
const DO_THAT_COMMITS = /^do\b[\s\S]*[\s;](?:commit|rollback)\s*;/i

const SAFER_VALUE =
  'Begin the file that adds the value with the line -- quoin:no-transaction, and use the value in a file behind it.'

interface AddedValue {
  readonly file: string
  readonly line: number | null
}

/** Values that the transaction so far has added to enums which were there before it, by their literals. */
export class CommitNeeds {
  readonly #madeEnums = new Set<string>()
  readonly #addedValues = new Map<string, AddedValue>()

  /** What stands before is committed. */
  commit(): void {
    this.#madeEnums.clear()
    this.#addedValues.clear()
  }

  /** Why the next statement of the transaction fails, with the way out; a null `safer` is for the caller to say. */
  of(file: string, { text, line }: AnalysedStatement): { message: string; safer: string | null } | undefined {
    const made = MAKES_ENUM.exec(text)?.[1]
    if (made !== undefined) this.#madeEnums.add(nameOf(made))
    const [, type, value] = ADDS_VALUE.exec(text) ?? []
    if (type !== undefined && value !== undefined) {
      if (!this.#madeEnums.has(nameOf(type))) this.#addedValues.set(value, { file, line })
      return undefined
    }
    if (DO_THAT_COMMITS.test(text))
      return { message: 'Its code ends the transaction, which Postgres refuses in a run.', safer: null }
    // A body runs when it is called; one in SQL is read at once.
    if (MAKES_ROUTINE.test(text) && !IN_SQL.test(text)) return undefined
    if (this.#addedValues.size === 0) return undefined
    for (const [literal] of text.matchAll(LITERAL)) {
      const added = this.#addedValues.get(literal)
      if (added === undefined) continue
      const place = added.line === null ? added.file : `${added.file}:${added.line}`
      return {
        message: `It may use ${literal} as the enum's value that ${place} adds: Postgres refuses that before COMMIT.`,
        safer: SAFER_VALUE,
      }
    }
    return undefined
  }
}

const nameOf = (written: string) =>
  written
    .toLowerCase()
    .replaceAll('"', '')
    .replace(/^public\./, '')
