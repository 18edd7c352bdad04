// From the text of a migration to what it creates. Postgres' parser takes no text as large as a migration may be, and
// nobody else gets the isolate while it runs, so each statement is parsed by itself.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { placeAt, placeWords, positionAt } from '../../../lib/text-place.ts'
import { Turns } from '../../../lib/turns.ts'
import type { StatementReader } from '../../sql/statement.ts'
import { statementWork } from '../statement-size.ts'
import {
  eachStatement,
  type MigrationStatement,
  PIECE_WORK,
  withoutByteOrderMark,
} from '../statements/split-statements.ts'
import {
  CREATION_FIELDS,
  type CreatedObject,
  CreationReader,
  type Creations,
  objectKey,
} from './created-objects.ts'

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

export const OBJECTS_MAX = 10_000
/** In units of `Turns`: 400 ms, for a mebibyte of ordinary CREATE statements. Postgres' parser is no faster. */
export const WORK_MAX = 40 * 1024 * 1024
/** What a statement costs that is not read, in the same units. */
const UNREAD_WORK = 100
/** What is asked of the database in the end, about. */
const ASKED_BYTES_MAX = 4 * 1024 * 1024
/** Rows create nothing, and are what most of a dump is: they are not read. */
const IS_INSERT = /^insert\b/i

/** What makes trees of a text. */
type Parser = Pick<StatementReader, 'trees'>

/**
 * Reads all statements but INSERTs, and lets others have their turns. Throws `invalid_sql` with Postgres' words and the
 * place in the text for what its grammar refuses, `payload_too_large` for more work or more objects than one call may
 * be.
 */
export async function readCreations(
  parser: Parser,
  sql: string,
  searchPath: readonly string[],
  turns = new Turns(),
): Promise<MigrationCreations> {
  const text = withoutByteOrderMark(sql)
  const reader = new CreationReader(searchPath)
  const objects = new Map<string, CreatedObject>()
  const untold: Untold[] = []
  let [others, asked] = [0, 0]
  for (const statement of eachStatement(text)) {
    if (statement === undefined) {
      await turns.spend(PIECE_WORK)
      continue
    }
    const found = await readStatement(parser, reader, text, statement, turns)
    for (const object of found.objects) {
      const key = objectKey(object)
      if (!objects.has(key)) asked += key.length
      objects.set(key, object)
    }
    for (const reason of found.untold) untold.push({ line: statement.line, reason })
    if (found.objects.length + found.untold.length === 0) others++
    if (objects.size > OBJECTS_MAX) throw tooMuch(`statements that create more than ${OBJECTS_MAX} objects`)
    if (asked + reader.typesLength > ASKED_BYTES_MAX) throw tooMuch('too many names of too many schemas')
    if (turns.all > WORK_MAX) throw tooMuch('more than can be read in one call')
  }
  return { objects: [...objects.values()], untold, others }
}

async function readStatement(
  parser: Parser,
  reader: CreationReader,
  text: string,
  statement: MigrationStatement,
  turns: Turns,
): Promise<Creations> {
  const sql = text.slice(statement.start, statement.end)
  const isRead = statement.unsupported !== 'psql_command' && !IS_INSERT.test(sql)
  const work = isRead ? statementWork(sql) : UNREAD_WORK
  await turns.spend(work ?? PIECE_WORK)
  if (statement.unsupported === 'psql_command') return untoldFor('a command of psql')
  if (!isRead) return NOTHING
  if (work === undefined) return TOO_LARGE
  try {
    const parsed = await parser.trees(sql, CREATION_FIELDS)
    const creations = parsed.map(({ node }) => reader.read(node))
    return {
      objects: creations.flatMap(({ objects }) => objects),
      untold: creations.flatMap(({ untold }) => untold),
    }
  } catch (err) {
    if (err instanceof DomainError && err.code === 'sql_syntax') return TOO_LARGE
    throw err instanceof PostgresError ? refusal(err, text, statement) : err
  }
}

const NOTHING: Creations = { objects: [], untold: [] }
const TOO_LARGE = untoldFor('too large to be read')

function untoldFor(reason: string): Creations {
  return { objects: [], untold: [reason] }
}

/** Postgres' own words, with the place in the whole text. */
function refusal(err: PostgresError, text: string, { start, end }: MigrationStatement): DomainError {
  const position =
    err.position === undefined ? positionAt(text, end) : positionAt(text, start) + err.position - 1
  const place = placeAt(text, position)
  return new DomainError('invalid_sql', err.message, {
    place,
    detail: `${placeWords(place)} Position ${position}, SQLSTATE ${err.code}.`,
    hint: err.hint,
    cause: err,
  })
}

function tooMuch(what: string): DomainError {
  return new DomainError('payload_too_large', `The SQL holds ${what}.`, {
    hint: 'Send it in several parts.',
  })
}
