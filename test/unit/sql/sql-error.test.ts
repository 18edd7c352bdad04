import { expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { placeFailure } from '../../../src/features/sql/sql-error.ts'
import { planBatch } from '../../../src/features/sql/statement-plan.ts'

const statement = (text: string) => ({ text, start: 0, end: text.length, isRead: false, command: undefined })
const planOf = (...params: string[][]) =>
  planBatch(
    params.map(each => ({ statement: statement('call f($1, $2)'), params: each })),
    10,
  )
const bound = (given: number) =>
  new PostgresError({
    code: '08P01',
    message: `bind message supplies ${given} parameters, but prepared statement "" requires 2`,
  })

// Neon does not tell the statement. As a protocol violation it was the service's fault, and to be tried again.
it.each([
  [1, [['a', 'b'], ['a']], 'statements[1].params: 1 given, but the statement takes 2.'],
  [1, [['b'], ['a']], 'statements: one was given 1 params, but takes 2.'],
  [1, [['b']], 'params: 1 given, but the statement takes 2.'],
])(
  'a wrong number of parameters is the caller’s, and of one statement where it can be one alone',
  (given, params, error) => {
    expect(placeFailure(bound(given), planOf(...params))).toMatchObject({
      code: 'validation_failed',
      message: error,
    })
  },
)
