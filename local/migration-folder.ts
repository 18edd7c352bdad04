// Reads a folder of migrations: for the Worker's bundle (scripts/build-migrations.ts) and for `npm run migrate`.
// What is wrong with a file becomes its `problem`: one bad file must not keep a Worker from being built.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { compareMigrationFileNames } from 'node-pg-migrate/utils/comparators'
import { type MigrationFile, trackedName } from '../src/features/migrations/migration-file.ts'

/** What node-pg-migrate's command line would take; what is no migration here is refused, not passed over. */
const PROGRAM = /\.(?:[cm]?[jt]s|sql)$/i
const MIGRATION = /\.(?:sql|cjs)$/
/** As Node calls a file of CommonJS, but for its process; and strict, as all of a Worker's script is. */
const PARAMETERS = ['exports', 'require', 'module', 'process']
const STRICT = "'use strict'; "

/** The folder's migrations in the order in which they run; hidden files, folders and READMEs are none. */
export function readMigrationFolder(folder: string): MigrationFile[] {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter(entry => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map(entry => entry.name)
    .filter(name => PROGRAM.test(name))
    .sort(inOrder)
  return names.map(name => {
    const file = readFile(folder, name)
    const twin = names.find(it => it !== name && trackedName(it) === trackedName(name))
    if (twin === undefined) return file
    const problem = `${name} and ${twin} are one migration to the tracking table: give one of them another name.`
    return { ...file, problem }
  })
}

/** The function of a `.cjs` file as source text, for a generated module. */
export function functionSource(text: string): string {
  return `function (${PARAMETERS.join(', ')}) { ${STRICT}${text}\n}`
}

function readFile(folder: string, name: string): MigrationFile {
  const path = join(folder, name)
  const bytes = readBytes(path)
  if (typeof bytes === 'string')
    return { name, text: '', hash: '', problem: `${name} cannot be read: ${bytes}.` }
  const hash = createHash('sha256').update(bytes).digest('hex')
  const text = bytes.toString('utf8')
  const file = { name, text, hash }
  if (!MIGRATION.test(name)) return { ...file, problem: `${name}: migrations are .sql or .cjs files.` }
  if (!Buffer.from(text, 'utf8').equals(bytes)) return { ...file, problem: `${name} is not UTF-8.` }
  if (name.endsWith('.sql')) return file
  try {
    const load = compileFunction(STRICT + text, PARAMETERS, { filename: path })
    return { ...file, load: load as NonNullable<MigrationFile['load']> }
  } catch (err) {
    return { ...file, problem: syntaxProblem(name, err) }
  }
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

/** As node-pg-migrate sorts, which fails on a name without a number: such files come behind all others. */
function inOrder(a: string, b: string): number {
  const [numberedA, numberedB] = [/^\d/.test(a), /^\d/.test(b)]
  if (numberedA && numberedB) return compareMigrationFileNames(a, b)
  if (numberedA !== numberedB) return numberedA ? -1 : 1
  return a.localeCompare(b, 'en', { numeric: true })
}
