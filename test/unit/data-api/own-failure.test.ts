// Failures that a statement was made for are told from those of a caller's value with the same text.

import { expect, test } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { Parameters, type Statement } from '../../../src/db/sql.ts'
import { CatalogRefusal } from '../../../src/features/data-api/catalog/catalog-refusal.ts'
import { ownFailure } from '../../../src/features/data-api/run/own-failure.ts'
import { hasPrimaryKey } from '../../../src/features/data-api/sql/reliance.ts'
import { guardSql } from '../../../src/features/data-api/sql/result-sql.ts'

const refused = (text: string) =>
  new PostgresError({ code: '22P02', message: `invalid input syntax for type boolean: "${text}"` })
const reliant = (...values: string[]): Statement => {
  const params = new Parameters()
  const sql = hasPrimaryKey({ schema: 'public', name: 't' }, ['id'], params)
  for (const value of values) params.add(value)
  return { sql, params: params.values }
}

test('a schema that changed is something to try again, and 503 if it goes on', () => {
  const outdated = refused('quoin:outdated:{id}')
  expect(ownFailure(outdated, reliant())).toBeInstanceOf(CatalogRefusal)
  expect(ownFailure(outdated, reliant())).toMatchObject({
    code: 'database_unavailable',
    postgrest: { code: 'PGRST002' },
  })
})

test("a caller's value with such a text is a bad value", () => {
  const value = 'quoin:outdated:{id}'
  expect(ownFailure(refused(value), { sql: 'select 1', params: [value] })).toBeUndefined()
  expect(ownFailure(refused(value), reliant(value))).toBeUndefined()
  const guard = 'quoin:max_affected:3'
  expect(ownFailure(refused(guard), { sql: 'select 1', params: [] })).toBeUndefined()
  const guarded = { sql: guardSql('max_affected', 'true'), params: [] }
  expect(ownFailure(refused(guard), guarded)).toMatchObject({ code: 'max_affected_exceeded' })
})
