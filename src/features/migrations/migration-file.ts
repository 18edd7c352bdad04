// A file of the migrations folder, as the Worker's bundle and `npm run migrate` have it. Both get it from the same
// reader (local/migration-folder.ts), so a file is the same migration to both.

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
  /** With its ending, without a folder. */
  readonly name: string
  readonly text: string
  /** SHA-256 of the file's bytes, in lower-case hex. */
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
}

/** The name under which a file is remembered: without its ending, as node-pg-migrate does it. */
export function trackedName(fileName: string): string {
  return fileName.replace(/\.[^.]*$/, '')
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
    hint: 'A new file is there once the Worker was built again; `npm run dev` does it by itself.',
  })
}
