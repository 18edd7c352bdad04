// What the safety check says of pending migrations.

import * as z from 'zod'
import { BLOCKS, LOCK_MODES } from './table-effect.ts'

export const MigrationFinding = z
  .object({
    file: z.string().describe('Name of the migration.'),
    line: z
      .int()
      .nullable()
      .describe('Line in the file where the statement begins, from 1. Null for what a .cjs file makes.'),
    statement: z
      .string()
      .nullable()
      .describe('The statement, cut to 400 characters. Null when the finding is about the file as a whole.'),
    table: z
      .string()
      .nullable()
      .describe(
        'The table, view or sequence that is locked, with its schema. Null when the text names none.',
      ),
    lock: z
      .enum(LOCK_MODES)
      .nullable()
      .describe(
        "The strongest lock on the table or one of its indexes, by Postgres' name. Null when not known.",
      ),
    blocks: z
      .enum(BLOCKS)
      .describe('What others cannot do with the table until the lock is given back: at the end of the run.'),
    rewrites: z
      .boolean()
      .describe(
        'All rows are copied meanwhile. True as well when it depends on what the text does not tell.',
      ),
    scans: z
      .boolean()
      .describe('All rows are read meanwhile. True as well when it depends on what the text does not tell.'),
    size_bytes: z
      .int()
      .nullable()
      .describe(
        'Size of the table now, with indexes and TOAST, and of all its partitions. Null when it is locked by ' +
          'somebody else now, or the statement does not name it.',
      ),
    rows: z
      .int()
      .nullable()
      .describe(
        "Rows of the table now, as Postgres' statistics have them. Null when they do not, or as for `size_bytes`.",
      ),
    message: z.string().describe('What happens to whom.'),
    safer: z.string().nullable().describe('A form that blocks less. Null where there is none.'),
    analysed: z
      .boolean()
      .describe('False when nobody can know before it runs, or it cannot be read; `message` says why.'),
  })
  .meta({
    id: 'MigrationFinding',
    examples: [
      {
        file: '0007_index-todos',
        line: 1,
        statement: 'create index todos_title on todos (title)',
        table: 'public.todos',
        lock: 'SHARE',
        blocks: 'writes',
        rewrites: false,
        scans: true,
        size_bytes: 73_728,
        rows: 120,
        message:
          'Nobody can write to public.todos until the run commits, and Postgres reads all its rows meanwhile.',
        safer: 'CREATE INDEX CONCURRENTLY, in a file whose first line is -- quoin:no-transaction.',
        analysed: true,
      },
    ],
  })
export type MigrationFinding = z.output<typeof MigrationFinding>
