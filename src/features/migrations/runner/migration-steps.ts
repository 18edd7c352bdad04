// What a migration does: the SQL of a `.sql` file, for a `.cjs` file what its function tells node-pg-migrate's
// MigrationBuilder. The library's Migration class around that builder is not used: its own BEGIN and COMMIT would cut a
// batch into pieces, and it brings a file system along.

import { MigrationBuilder } from 'node-pg-migrate/migrationBuilder'
import { PgLiteral } from 'node-pg-migrate/utils/PgLiteral'
import { DeadlinePassed, deadline } from '../../../lib/deadline.ts'
import { hasStatement, readForm, type SqlPart } from '../forms/read-form.ts'
import type { MigrationAction, MigrationFile, MigrationModule } from '../migration-file.ts'
import { Surroundings } from '../surroundings.ts'
import { textOf } from './migration-failure.ts'

export type MigrationDirection = 'up' | 'down'

/** Names for column definitions that files have declared; those of a file hold for all behind it. */
export type Shorthands = NonNullable<MigrationModule['shorthands']>

/** What `pgm.db` of a `.cjs` file asks. */
export interface BuilderDatabase {
  query(statement: unknown, values?: unknown[]): Promise<unknown>
  select(statement: unknown, values?: unknown[]): Promise<unknown[]>
}

/** SQL to be run in order. */
export interface MigrationSteps {
  /** A `.sql` file has one. */
  readonly texts: readonly string[]
  /** Line of the file at which the text of a `.sql` file begins, from 1; null for a `.cjs` file. */
  readonly firstLine: number | null
  /** False: it must run outside of a transaction. */
  readonly usesTransaction: boolean
}

/** What can be told of a file before it runs. */
export interface MigrationPlan extends MigrationSteps {
  /** Why the SQL is not known, as a sentence; the texts are then those up to there. */
  readonly unknown?: string
  /** True: it waits for something else than the database, and will when it runs. */
  readonly neverEnds?: boolean
}

const ASKS_DATABASE = 'Its SQL depends on what it asks the database while it runs.'

/** Longest that a file may take to say its SQL when it is asked nothing but that. */
const PLAN_TIMEOUT_MS = 5_000

const SILENT = { info() {}, warn() {}, error() {} }

/**
 * The steps of a file, which has `timeoutMs` for it (0: any time). Throws what the file throws, and an `Error` in words
 * where it has no such direction. A `.cjs` file is evaluated anew at each call, and may ask `database`.
 */
export async function stepsOf(
  file: MigrationFile,
  direction: MigrationDirection,
  shorthands: Shorthands,
  { database, timeoutMs }: { database: BuilderDatabase; timeoutMs: number },
): Promise<MigrationSteps> {
  if (file.problem !== undefined) throw new Error(file.problem)
  if (file.load === undefined) return sqlSteps(file, direction)
  const builder = builderOn(database, shorthands)
  await perform(file, direction, builder, timeoutMs)
  return builtSteps(builder)
}

/** What a file would do, asking no database. Throws nothing. */
export async function planOf(
  file: MigrationFile,
  direction: MigrationDirection,
  shorthands: Shorthands,
): Promise<MigrationPlan> {
  let hasAsked = false
  const refuse = () => {
    hasAsked = true
    return Promise.reject(new Error(ASKS_DATABASE))
  }
  const database = handledOnly({ query: refuse, select: refuse })
  const builder = builderOn(database, shorthands)
  try {
    if (file.problem !== undefined) throw new Error(file.problem)
    if (file.load === undefined) return sqlSteps(file, direction)
    await perform(file, direction, builder, PLAN_TIMEOUT_MS)
    // A file that caught the refusal may do something else when it is answered.
    return hasAsked ? { ...builtSteps(builder), unknown: ASKS_DATABASE } : builtSteps(builder)
  } catch (err) {
    if (err instanceof NeverEnds) return { ...builtSteps(builder), unknown: err.message, neverEnds: true }
    return { ...builtSteps(builder), unknown: textOf(err) }
  }
}

/** The same database, whose answers need not be waited for: an error that nobody looks at ends no program. */
export function handledOnly({ query, select }: BuilderDatabase): BuilderDatabase {
  const handled = <T>(answer: Promise<T>): Promise<T> => {
    answer.catch(() => {})
    return answer
  }
  return {
    query: (statement, values) => handled(query(statement, values)),
    select: (statement, values) => handled(select(statement, values)),
  }
}

function builderOn(database: BuilderDatabase, shorthands: Shorthands): MigrationBuilder {
  return new MigrationBuilder(database as never, shorthands as never, false, SILENT)
}

class NeverEnds extends Error {}

async function inTime(timeoutMs: number, work: Promise<void>): Promise<void> {
  if (timeoutMs === 0) return work
  try {
    await deadline(timeoutMs, work)
  } catch (err) {
    if (!(err instanceof DeadlinePassed)) throw err
    throw new NeverEnds(`It has not ended within ${timeoutMs / 1_000} s: does it wait for what never comes?`)
  }
}

/** Of each file by name, the shorthands that hold in it: its own and those of all before it. */
export function shorthandsOf(files: readonly MigrationFile[]): ReadonlyMap<string, Shorthands> {
  let declared: Shorthands = {}
  return new Map(
    files.map(file => {
      declared = { ...declared, ...declaredBy(file) }
      return [file.name, declared]
    }),
  )
}

/** What a file cannot tell is its own affair when it runs. */
function declaredBy(file: MigrationFile): Shorthands {
  try {
    return evaluate(file).shorthands ?? {}
  } catch {
    return {}
  }
}

function builtSteps(builder: MigrationBuilder): MigrationSteps {
  return { texts: builder.getSqlSteps(), firstLine: null, usesTransaction: builder.isUsingTransaction() }
}

function sqlSteps(file: MigrationFile, direction: MigrationDirection): MigrationSteps {
  const form = readForm(file.text)
  const part =
    direction === 'up' ? form.up : file.downText === undefined ? form.down : undoOf(file.name, file.downText)
  if (part === null)
    throw new Error(
      `${file.path} has no "-- Down Migration", and no file beside it takes it back: it cannot be taken back.`,
    )
  const usesTransaction = part.usesTransaction && !file.isOutside
  return { texts: [part.text], firstLine: 1, usesTransaction }
}

/** Of a file whose name says that it takes back: all of it, also where its first line says that too. */
function undoOf(name: string, text: string): SqlPart {
  const { up, down } = readForm(text)
  if (down === null) return up
  if (hasStatement(up.text))
    throw new Error(
      `The file that takes ${name} back has lines that divide it: it is not certain what is to run.`,
    )
  return down
}

/** A function of two parameters calls the second when it is done; without `down` the steps of `up` are reversed. */
async function perform(
  file: MigrationFile,
  direction: MigrationDirection,
  builder: MigrationBuilder,
  timeoutMs: number,
): Promise<void> {
  const { up, down } = evaluate(file)
  const library = libraryOf(up)
  if (library !== undefined)
    throw new Error(
      `${file.name} is a migration of ${library}: Quoin hands "up" the builder of node-pg-migrate.`,
    )
  if (direction === 'down' && down === undefined) builder.enableReverseMode()
  const action = direction === 'up' ? up : (down ?? (down === false ? false : up))
  if (action === false) throw new Error(`${file.name} has "${direction}" disabled.`)
  if (typeof action !== 'function') throw new Error(`${file.name} exports no function "up".`)
  const surroundings = surroundingsOf()
  const acting = act(action, builder)
  const changed = surroundings.restore()
  const ending = inTime(timeoutMs, acting).then(
    () => refuseChange(file, surroundings.restore()),
    err => {
      const changedMeanwhile = surroundings.restore()
      // One that never ends must not be run, whatever else it does.
      if (!(err instanceof NeverEnds)) refuseChange(file, changedMeanwhile)
      throw err
    },
  )
  // Where a change is told, how it ended is not.
  if (changed !== undefined) ending.catch(() => undefined)
  refuseChange(file, changed)
  await ending
}

async function act(action: MigrationAction, builder: MigrationBuilder): Promise<void> {
  if (action.length < 2) return void (await action(builder as never))
  await new Promise<void>((resolve, reject) => {
    // In the form `pgm.db.query(...).then(done)` it gets a result.
    const done = (given?: unknown) => (given instanceof Error ? reject(given) : resolve())
    // An async function with two parameters may fail before it calls the second.
    Promise.resolve(action(builder as never, done)).catch(reject)
  })
}

/** What the first parameter of `up` is called in the files of other libraries. */
const FIRST_PARAMETERS: Readonly<Record<string, string>> = {
  knex: 'Knex',
  queryInterface: 'Sequelize',
  queryRunner: 'TypeORM',
}

/** Behind the parenthesis, or of an arrow without one; Umzug hands it on in an object. */
const FIRST_PARAMETER = /(?:\(\s*(?:\{\s*context:\s*)?|^(?:async\s+)?)(\w+)\s*[,):=}]/

/** Told from the head of the function: run with another builder it would fail somewhere within. */
function libraryOf(up: unknown): string | undefined {
  if (typeof up !== 'function') return undefined
  const head = Function.prototype.toString.call(up).slice(0, 200)
  const [, name = ''] = FIRST_PARAMETER.exec(head) ?? []
  return Object.hasOwn(FIRST_PARAMETERS, name) ? FIRST_PARAMETERS[name] : undefined
}

function evaluate(file: MigrationFile): MigrationModule {
  const module: { exports: MigrationModule } = { exports: {} }
  const surroundings = surroundingsOf()
  try {
    file.load?.(module.exports, requireLibrary, module, makeProcess())
    // What it exports may be a getter, which is code of the file too.
    const { up, down, shorthands } = module.exports ?? {}
    return {
      ...(up !== undefined && { up }),
      ...(down !== undefined && { down }),
      ...(shorthands && { shorthands: { ...shorthands } }),
    }
  } finally {
    refuseChange(file, surroundings.restore())
  }
}

/** With the classes that files are given: what one puts there, another one would find. */
function surroundingsOf(): Surroundings {
  return new Surroundings({ PgLiteral, MigrationBuilder })
}

function refuseChange({ name }: MigrationFile, changed: string | undefined): void {
  if (changed === undefined) return
  throw new Error(
    `${name} changes ${changed}, which is not its own: a migration may change nothing outside of itself. ` +
      'It was put back.',
  )
}

/** Of each evaluation its own, so that nothing is handed from file to file. */
function makeProcess() {
  return {
    env: {},
    exit() {
      throw new Error('process.exit(): a migration cannot end the program that runs it.')
    },
  }
}

/** A migration stands alone: it is the same in the Worker, which has no files, and on the command line. */
function requireLibrary(name: string): unknown {
  if (name === 'node-pg-migrate') return { PgLiteral }
  throw new Error(`require("${name}"): a migration can load nothing but node-pg-migrate.`)
}
