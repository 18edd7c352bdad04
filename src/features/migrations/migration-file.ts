// A file of the migrations folder, as the Worker's bundle and `npm run migrate` have it. Both get it from the same
// reader (cli/migration-folder.ts), so a file is the same migration to both.

import { DomainError } from '../../errors.ts'

/** `MigrationBuilder` of node-pg-migrate goes in; what it is told to do comes out of its steps. */
export type MigrationAction = (builder: never, done?: (given?: unknown) => void) => unknown

/** What a `.cjs` file exports. */
export interface MigrationModule {
  readonly up?: MigrationAction | false
  readonly down?: MigrationAction | false
  /** Names for column definitions; those of a file hold for all behind it. */
  readonly shorthands?: Readonly<Record<string, unknown>>
}

export interface MigrationFile {
  /** As people call it: of a file its name with the ending, of a pair the common name, of a folder the folder's. */
  readonly name: string
  /** Of the file that is applied, in the migrations folder. */
  readonly path: string
  /** As the tracking table has it. */
  readonly recordedAs: string
  /** Records of a version that took each half of a pair for a migration: this one's, and of what took it back. */
  readonly formerNames?: readonly string[]
  readonly undoNames?: readonly string[]
  readonly text: string
  /** The text of the file that takes it back, where that is another one. */
  readonly downText?: string
  /** True: a file beside it asks for no transaction. */
  readonly isOutside?: true
  /** SHA-256 of the bytes of the file that is applied, in lower-case hex. */
  readonly hash: string
  /** A `.cjs` file as a function of CommonJS; each call evaluates the file anew. */
  readonly load?: (
    exports: object,
    require: (name: string) => unknown,
    module: { exports: object },
    process: object,
  ) => void
  /** Why it cannot run, told from the file alone. */
  readonly problem?: string
}

/** What a build knows of migrations. */
export interface BundledMigrations {
  /** The user's, in the order in which they run. */
  readonly files: readonly MigrationFile[]
  /** Names of Quoin's own, as `quoin.platform_migrations` has them. */
  readonly platformNames: readonly string[]
  /** When the folder was read, as an instant: it had been so since then when the Worker was built. */
  readonly readAt: string
}

/** Whether this is the record of the file, also one under an old name. */
export function isRecordOf(file: MigrationFile, record: string): boolean {
  return record === file.recordedAs || (file.formerNames?.includes(record) ?? false)
}

/** Whether an older version recorded this for a file that takes another back: it says nothing of what is applied. */
export function isRecordOfUndo(files: readonly MigrationFile[], record: string): boolean {
  return files.some(file => file.undoNames?.includes(record))
}

/** The file of that name. Throws `invalid_parameter` for a path, `not_found` with the names there are. */
export function findFile(files: readonly MigrationFile[], name: string): MigrationFile {
  if (/[/\\]|^\.\.?$/.test(name)) {
    throw new DomainError(
      'invalid_parameter',
      `"${name}" is a path; migrations are named by the file alone.`,
      {
        hint: 'Send a name as GET /api/migrations/idempotent/status lists it.',
      },
    )
  }
  const file = files.find(it => it.name === name)
  if (file) return file
  throw new DomainError('not_found', `There is no migration "${name}".`, {
    detail:
      files.length === 0 ? 'The folder is empty.' : `There are: ${files.map(it => it.name).join(', ')}.`,
    hint: 'A new file appears once the Worker is built again; `npm run dev` does so automatically.',
  })
}
