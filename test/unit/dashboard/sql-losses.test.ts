// The words of the question before a script runs: what is lost, of what, and how much of it.

import { expect, it } from 'vitest'
import { losesSomething, lossSentences } from '../../../dashboard/src/views/database/sql/loss-words.ts'

type Check = Parameters<typeof lossSentences>[0]
type Statement = Check['statements'][number]
type Loss = Statement['losses'][number]

const LOSS: Loss = {
  kind: 'delete_rows',
  object_kind: 'table',
  object: 'public.todos',
  part: null,
  cascades: false,
  rows: 3,
  rows_exact: true,
}
const statement = (...losses: Partial<Loss>[]): Statement => ({
  sql: 'select 1',
  offset: 0,
  opaque: false,
  losses: losses.map(loss => ({ ...LOSS, ...loss })),
})
const sentences = (...statements: Statement[]) => lossSentences({ statements })

it.each<[Partial<Loss>, string]>([
  [{}, 'Every row of the table public.todos is deleted: 3 rows.'],
  [{ rows: 1 }, 'Every row of the table public.todos is deleted: 1 row.'],
  [
    { rows: 2_000_000, rows_exact: false, cascades: true },
    'Every row of the table public.todos is deleted: about 2,000,000 rows. ' +
      'So are the rows of other tables that refer to them.',
  ],
  [{ rows: null }, 'Every row of the table public.todos is deleted.'],
  [
    { kind: 'truncate', cascades: true },
    'Every row of the table public.todos is deleted: 3 rows. So is every row of the tables that refer to it.',
  ],
  [{ kind: 'update_rows' }, 'Every row of the table public.todos is changed: 3 rows.'],
  [
    { kind: 'merge_rows' },
    'Rows of the table public.todos are changed or deleted whatever is in them. It has 3 rows.',
  ],
  [
    { kind: 'drop', cascades: true },
    'The table public.todos is dropped, with 3 rows. What depends on it goes too.',
  ],
  [{ kind: 'drop', object_kind: 'view', rows: null }, 'The view public.todos is dropped.'],
  [{ kind: 'drop', object_kind: 'owned', object: 'ann', rows: null }, 'Everything that ann owns is dropped.'],
  [
    { kind: 'drop_column', part: 'title' },
    'The column title of the table public.todos is dropped, in 3 rows.',
  ],
  [
    { kind: 'change_type', part: 'title' },
    'The column title of the table public.todos gets another type, in 3 rows: values may be cut or rounded.',
  ],
  [
    { kind: 'drop_constraint', part: 'one', rows: null },
    'The constraint one of the table public.todos is dropped.',
  ],
])('says of %j what is lost', (loss, sentence) => {
  expect(sentences(statement(loss))).toEqual([sentence])
})

it('says of a script which statement it is, and which of them nobody can look into', () => {
  const code = { ...statement(), opaque: true }
  expect(sentences(statement(), statement({}), code)).toEqual([
    'Statement 2: Every row of the table public.todos is deleted: 3 rows.',
    'Statement 3 runs code (DO or CALL): what it does is not seen.',
  ])
  // One that stands alone is what somebody wants to run.
  expect(sentences(code)).toEqual([])
  expect(losesSomething({ statements: [statement(), code] })).toBe(false)
})

it('says once what a statement takes away twice', () => {
  expect(sentences(statement({}, {}))).toHaveLength(1)
})
