// The statements of pending migrations as far as they can be read. Bounded: a check must end soon, however much waits
// to be run.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import type { Turns } from '../../../lib/turns.ts'
import type { StatementReader } from '../../sql/statement.ts'
import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { statementWork } from '../statement-size.ts'
import { PIECE_CHARACTERS, PIECE_WORK } from '../statements/split-statements.ts'
import { type TransactionUse, transactionUse } from '../statements/transaction-use.ts'
import { FINDING_FIELDS } from './kept-fields.ts'
import { type NameChange, nameChanges } from './name-changes.ts'
import { NO_DOMAINS, statementEffects } from './statement-effects.ts'
import { whyUnknown } from './unknown-effects.ts'

export interface StatementText {
  readonly text: string
  readonly line: number | null
}

/** A pending migration. */
export interface AnalysedFile {
  readonly name: string
  /**
   * One statement each, read from the file as they are asked for; `line` is null for those that a .cjs file makes.
   * Undefined stands for another piece of the file's text without an end of a statement.
   */
  readonly statements: Iterable<StatementText | undefined>
  /** The sentence that says why nobody can know its statements. */
  readonly notAnalysed?: string
  /** False where each statement runs by itself. */
  readonly runsInTransaction: boolean
}

export interface ParserDeps {
  sql: { statements: Pick<StatementReader, 'trees'> }
}

/** Most statements of one check, over all files. */
const STATEMENTS_MAX = 5_000
/** Most UTF-16 units that one check looks at, and most work of reading statements, in units of `Turns`: 200 ms. */
const CHECK_CHARACTERS_MAX = 4 * 1_048_576
const WORK_MAX = 20 * 1_048_576
/** Most names of tables over all statements: each is looked for in all schemas of the search path. */
const NAMES_MAX = 10_000
const MESSAGE_CHARACTERS_MAX = 200

export interface AnalysedStatement {
  readonly text: string
  readonly line: number | null
  readonly use: TransactionUse
  /** Its tree, with the fields that the findings read; none where it was not read. */
  readonly nodes: readonly SyntaxNode[]
  readonly changes: readonly NameChange[]
  /** How many names of tables it locks, or changes what they mean. */
  readonly nameCount: number
  /** What going through its tree once more takes at most, in units of `Turns`. */
  readonly work: number
  /** On the first statement of the file with such a reason. */
  readonly unread: Unread | undefined
}

/** Why a statement was not analysed, and how many more of its file were not for such a reason. */
export interface Unread {
  /** The end of a sentence. */
  readonly reason: string
  more: number
}

export interface AnalysedText {
  readonly file: AnalysedFile
  readonly statements: readonly AnalysedStatement[]
  /** True: the file has more, which are over the bounds of a check. */
  readonly isCut: boolean
}

/** What each file's statements do, as long as the bounds allow. Others get their turn in between. */
export async function analyseStatements(
  deps: ParserDeps,
  files: readonly AnalysedFile[],
  turns: Turns,
): Promise<AnalysedText[]> {
  const budget = { statements: STATEMENTS_MAX, characters: CHECK_CHARACTERS_MAX, names: NAMES_MAX }
  const isOver = () => Math.min(...Object.values(budget)) < 0 || turns.all > WORK_MAX
  const analysed: AnalysedText[] = []
  for (const file of files) {
    const statements: AnalysedStatement[] = []
    const unread = new UnreadReasons()
    let isCut = false
    for (const statement of file.statements) {
      budget.statements -= statement === undefined ? 0 : 1
      budget.characters -= statement?.text.length ?? PIECE_CHARACTERS
      const work = statement === undefined ? PIECE_WORK : statementWork(statement.text)
      await turns.spend(work ?? PIECE_WORK)
      isCut = isOver()
      if (isCut) break
      if (statement === undefined) continue
      const { text, line } = statement
      const use = transactionUse(text, { start: 0, end: text.length, line: 1 })
      const read = work === undefined ? TOO_LONG : await readStatement(deps, text)
      const nameCount = namesIn(read)
      budget.names -= nameCount
      statements.push({ text, line, use, ...read, nameCount, work: work ?? 0, unread: unread.firstOf(read) })
    }
    analysed.push({ file, statements, isCut })
  }
  return analysed
}

function namesIn({ nodes, changes }: ReadStatement): number {
  return nodes.flatMap(node => statementEffects(node, NO_DOMAINS)).length + changes.length
}

interface ReadStatement {
  nodes: SyntaxNode[]
  changes: NameChange[]
  refused?: { kind: 'too_long' | 'no_sql' | 'unknown'; reason: string }
}

const TOO_LONG: ReadStatement = {
  nodes: [],
  changes: [],
  refused: { kind: 'too_long', reason: "it is too long for Postgres' parser here" },
}

async function readStatement(deps: ParserDeps, text: string): Promise<ReadStatement> {
  try {
    const nodes = (await deps.sql.statements.trees(text, FINDING_FIELDS)).map(({ node }) => node)
    const reason = nodes.map(whyUnknown).find(why => why !== undefined)
    const changes = nodes.flatMap(nameChanges)
    return reason === undefined
      ? { nodes, changes }
      : { nodes, changes, refused: { kind: 'unknown', reason } }
  } catch (err) {
    if (err instanceof PostgresError) {
      const reason = `Postgres cannot read it (${shortened(err.message)})`
      return { nodes: [], changes: [], refused: { kind: 'no_sql', reason } }
    }
    if (err instanceof DomainError) return TOO_LONG
    throw err
  }
}

/** Postgres repeats the word that it stumbled over, however long it is. */
function shortened(message: string): string {
  return message.length > MESSAGE_CHARACTERS_MAX ? `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…` : message
}

/** One finding for each kind of reason is enough in one file: a file may hold thousands of such statements. */
class UnreadReasons {
  readonly #byKind = new Map<string, Unread>()

  firstOf({ refused }: ReadStatement): Unread | undefined {
    if (refused === undefined) return undefined
    const before = this.#byKind.get(refused.kind)
    if (before) {
      before.more += 1
      return undefined
    }
    const first = { reason: refused.reason, more: 0 }
    this.#byKind.set(refused.kind, first)
    return first
  }
}
