// Reads a folder of migrations: for the Worker's bundle (scripts/build-migrations.ts) and for `npm run migrate`.
// What is wrong with a file becomes its `problem`: one bad file must not keep a Worker from being built.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { compileFunction } from 'node:vm'
import { compareMigrationFileNames } from 'node-pg-migrate/utils/comparators'
import { type NamedMigration, readNames } from '../src/features/migrations/forms/name-forms.ts'
import { readForm } from '../src/features/migrations/forms/read-form.ts'
import type { MigrationFile } from '../src/features/migrations/migration-file.ts'

/** What node-pg-migrate's command line would take; what is no migration here is refused, not passed over. */
const PROGRAM = /\.(?:[cm]?[jt]s|sql)$/i
const MIGRATION = /\.(?:sql|cjs)$/
/** Of the user's folder: it holds Quoin's own. */
const PLATFORM_FOLDER = 'platform'
/** As Node calls a file of CommonJS, but for its process; and strict, as all of a Worker's script is. */
const PARAMETERS = ['exports', 'require', 'module', 'process']
const STRICT = "'use strict'; "

/**
 * The folder's migrations in the order in which they run. Files of a pair are one migration, and so is a folder of
 * Prisma or Diesel. Hidden files, folders without migrations and READMEs are none.
 */
export function readMigrationFolder(folder: string): MigrationFile[] {
  const entries = readdirSync(folder).filter(name => !name.startsWith('.'))
  const folders = entries.filter(name => isFolder(join(folder, name)))
  const files = entries.filter(name => PROGRAM.test(name) && !folders.includes(name))
  const named = [...readNames(files), ...folders.flatMap(name => folderNames(folder, name))]
  const migrations = named
    .toSorted((a, b) => inOrder(orderOf(a), orderOf(b)))
    .map(it => readMigration(folder, it))
  return migrations.map(migration => {
    const twin = migrations.find(it => it !== migration && it.recordedAs === migration.recordedAs)
    if (twin === undefined) return migration
    const both = `${migration.path} and ${twin.path}`
    return {
      ...migration,
      problem: `${both} are one migration to the tracking table: give one of them another name.`,
    }
  })
}

/** A folder as a migration: with `migration.sql` as Prisma's, with `up.sql` as Diesel's. None without such files. */
function folderNames(folder: string, name: string): NamedMigration[] {
  if (name === PLATFORM_FOLDER) return []
  const paths = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
  const files = paths.filter(path => MIGRATION.test(path) && !/(?:^|[/\\])\./.test(path))
  if (files.length === 0) return []
  const up: readonly string[] = files.filter(path => path === 'migration.sql' || path === 'up.sql')
  const rest = files.filter(path => !up.includes(path) && path !== 'down.sql')
  const migration = { name, recordedAs: name, file: join(name, up[0] ?? files[0] ?? '') }
  if (up.length === 1 && rest.length === 0)
    return [{ ...migration, ...(files.includes('down.sql') && { downFile: join(name, 'down.sql') }) }]
  const problem =
    'is in a folder, which is a migration where it holds migration.sql, or up.sql and down.sql, and no other SQL'
  return [{ ...migration, file: join(name, rest[0] ?? up[0] ?? files[0] ?? ''), problem }]
}

/** The function of a `.cjs` file as source text, for a generated module. */
export function functionSource(text: string): string {
  return `function (${PARAMETERS.join(', ')}) { ${STRICT}${text}\n}`
}

function readMigration(folder: string, named: NamedMigration): MigrationFile {
  const { name, recordedAs, file: path, formerNames, undoNames } = named
  const facts = {
    name,
    path,
    recordedAs,
    ...(formerNames && { formerNames }),
    ...(undoNames && { undoNames }),
    ...(asksForNone(folder, path) && { isOutside: true as const }),
  }
  const bytes = readBytes(join(folder, path))
  if (typeof bytes === 'string')
    return { ...facts, text: '', hash: '', problem: `${path} cannot be read: ${bytes}.` }
  const hash = createHash('sha256').update(bytes).digest('hex')
  const text = bytes.toString('utf8')
  const file = { ...facts, text, hash }
  if (named.problem !== undefined)
    return { ...file, problem: `${path} ${named.problem}. Rename or remove it.` }
  if (!MIGRATION.test(path)) return { ...file, problem: `${path}: migrations are .sql or .cjs files.` }
  if (!Buffer.from(text, 'utf8').equals(bytes)) return { ...file, problem: `${path} is not UTF-8.` }
  if (path.endsWith('.sql')) return readSql(folder, file, named)
  try {
    const load = compileFunction(STRICT + text, PARAMETERS, { filename: join(folder, path) })
    return { ...file, load: load as NonNullable<MigrationFile['load']> }
  } catch (err) {
    return { ...file, problem: syntaxProblem(path, err) }
  }
}

function readSql(folder: string, file: MigrationFile, { downFile, isUpHalf }: NamedMigration): MigrationFile {
  const { uncertain, down, tool } = readForm(file.text)
  if (uncertain) return { ...file, problem: uncertainProblem(file.path, uncertain) }
  if (down && (isUpHalf || downFile !== undefined))
    return {
      ...file,
      problem:
        `${file.path} has a line of ${tool} behind which is what takes back, ` +
        'and its name says that another file does.',
    }
  if (downFile === undefined) return file
  const bytes = readBytes(join(folder, downFile))
  return { ...file, downText: typeof bytes === 'string' ? '' : bytes.toString('utf8') }
}

function uncertainProblem(path: string, { line, reason }: { line: number; reason: string }): string {
  return `${path}:${line}: it is not certain what is to run: ${reason}. Nothing of the file is run: change the line.`
}

/** Diesel and Flyway write it into a file beside the SQL. */
function asksForNone(folder: string, path: string): boolean {
  const beside = path.includes(sep) ? join(dirname(path), 'metadata.toml') : `${path}.conf`
  const bytes = path.endsWith('.sql') ? readBytes(join(folder, beside)) : ''
  return /^\s*(?:run_in_transaction|executeInTransaction)\s*=\s*false\b/m.test(bytes.toString())
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** The bytes, or the code of what keeps them: a link to nowhere, no right to read. */
function readBytes(path: string): Buffer | string {
  try {
    return readFileSync(path)
  } catch (err) {
    return (err as NodeJS.ErrnoException).code ?? String(err)
  }
}

/** The first line of V8's stack is the place, as `/folder/name:line`. */
function syntaxProblem(name: string, err: unknown): string {
  if (!(err instanceof Error)) return `${name}: ${err}`
  const line = /:(\d+)$/.exec(err.stack?.split('\n')[0] ?? '')?.[1]
  return `${name}${line === undefined ? '' : `:${line}`}: ${err.name}: ${err.message}`
}

/** Diesel orders its folders by date and time, with dashes between or without. */
function orderOf({ name, file }: NamedMigration): string {
  return file.includes(sep) ? name.replace(/^(\d{4})-(\d\d)-(\d\d)-(?=\d{6})/, '$1$2$3') : name
}

/** As node-pg-migrate sorts, which fails on a name without a number: such files come behind all others. */
function inOrder(a: string, b: string): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)]
  if (rankA !== rankB) return rankA - rankB
  return rankA === 0 ? compareMigrationFileNames(a, b) : a.localeCompare(b, 'en', { numeric: true })
}

/** Flyway's repeatable migrations rely on all that have a version. */
function rankOf(name: string): number {
  if (/^\d/.test(name)) return 0
  return name.startsWith('R__') ? 2 : 1
}
