// From the text of a migration to what it creates. Postgres' parser takes no text as large as a migration may be, so
// each statement is parsed by itself.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import type { StatementReader } from '../../sql/statement.ts'
import { placeOf, positionAt } from '../../sql/text-place.ts'
import {
  type MigrationStatement,
  splitStatements,
  withoutByteOrderMark,
} from '../statements/split-statements.ts'
import { CREATION_FIELDS, type CreatedObject, CreationReader, type Creations } from './created-objects.ts'

/** Something that may create an object which cannot be looked for. */
export interface Untold {
  /** Of the statement, from 1. */
  readonly line: number
  readonly reason: string
}

export interface MigrationCreations {
  /** Each once, in the order of the text. */
  readonly objects: readonly CreatedObject[]
  readonly untold: readonly Untold[]
  /** How many statements create nothing that is looked for. */
  readonly others: number
}

export const STATEMENTS_MAX = 50_000
export const OBJECTS_MAX = 10_000
/** A tree needs about 200 times the memory of its statement. */
const STATEMENT_CHARACTERS_MAX = 1024 * 1024
/** The one kind that is often too large to be read: rows, which create nothing. */
const IS_INSERT = /^insert\b/i

/** What makes trees of a text. */
type Parser = Pick<StatementReader, 'trees'>

/**
 * Reads all statements. Throws `invalid_sql` with Postgres' words and the place in the text for what its grammar
 * refuses, `payload_too_large` for too many statements or objects.
 */
export async function readCreations(
  parser: Parser,
  sql: string,
  searchPath: readonly string[],
): Promise<MigrationCreations> {
  const text = withoutByteOrderMark(sql)
  const statements = splitStatements(text, STATEMENTS_MAX)
  if (statements.length > STATEMENTS_MAX) throw tooMuch(`more than ${STATEMENTS_MAX} statements`)
  const reader = new CreationReader(searchPath)
  const objects = new Map<string, CreatedObject>()
  const untold: Untold[] = []
  let others = 0
  for (const statement of statements) {
    const found = await readStatement(parser, reader, text, statement)
    for (const object of found.objects) objects.set(JSON.stringify(object), object)
    for (const reason of found.untold) untold.push({ line: statement.line, reason })
    if (found.objects.length + found.untold.length === 0) others++
    if (objects.size > OBJECTS_MAX) throw tooMuch(`statements that create more than ${OBJECTS_MAX} objects`)
  }
  return { objects: [...objects.values()], untold, others }
}

async function readStatement(
  parser: Parser,
  reader: CreationReader,
  text: string,
  statement: MigrationStatement,
): Promise<Creations> {
  if (statement.unsupported === 'psql_command') return untoldFor('a command of psql')
  const sql = text.slice(statement.start, statement.end)
  const tooLarge = () => (IS_INSERT.test(sql) ? NOTHING : untoldFor('too large to be read'))
  if (sql.length > STATEMENT_CHARACTERS_MAX) return tooLarge()
  try {
    const parsed = await parser.trees(sql, CREATION_FIELDS)
    const creations = parsed.map(({ node }) => reader.read(node))
    return {
      objects: creations.flatMap(({ objects }) => objects),
      untold: creations.flatMap(({ untold }) => untold),
    }
  } catch (err) {
    if (err instanceof DomainError && err.code === 'sql_syntax') return tooLarge()
    throw err instanceof PostgresError ? refusal(err, text, statement) : err
  }
}

const NOTHING: Creations = { objects: [], untold: [] }

function untoldFor(reason: string): Creations {
  return { objects: [], untold: [reason] }
}

/** Postgres' own words, with the place in the whole text. */
function refusal(err: PostgresError, text: string, { start, end }: MigrationStatement): DomainError {
  const position =
    err.position === undefined ? positionAt(text, end) : positionAt(text, start) + err.position - 1
  return new DomainError('invalid_sql', err.message, {
    detail: `${placeOf(text, position)} Position ${position}, SQLSTATE ${err.code}.`,
    hint: err.hint,
    cause: err,
  })
}

function tooMuch(what: string): DomainError {
  return new DomainError('payload_too_large', `The SQL holds ${what}.`, {
    hint: 'Send it in several parts.',
  })
}
