// What bounds the questions of a check. What it finds in a database is shown over HTTP in test/contract.

import { expect, it } from 'vitest'
import type { DatabaseCaller } from '../../../src/db/caller-session.ts'
import type { DataDatabase } from '../../../src/db/database.ts'
import { checkSql } from '../../../src/features/sql/check-sql.ts'
import type { SqlDeps } from '../../../src/features/sql/run-sql.ts'
import { StatementReader } from '../../../src/features/sql/statement.ts'
import { loadNodeParser } from './node-parser.ts'

const CALLER = {
  role: 'service_role',
  claims: null,
  share: 'a/b',
  requestId: 'r',
  method: 'POST',
  path: '/api/sql/check',
  headers: new Headers(),
} as unknown as DatabaseCaller

/** A database whose one schema has so many tables of two rows. */
function makeDeps(tables: number) {
  const asked: string[] = []
  const batch: DataDatabase['batch'] = async (_, [statement]) => {
    const sql = statement?.sql ?? ''
    asked.push(sql)
    const rows = sql.includes('count(*)')
      ? [['2']]
      : Array.from({ length: tables }, (_, i) => ['0', 'app', `t${i}`, 'r', 't', '7', 'f'])
    return [{ command: 'SELECT', rowCount: rows.length, fields: [], rows }]
  }
  const deps = {
    config: { sqlTextBytesMax: 262_144, dbSchemas: ['public'], dbExtraSearchPath: [] },
    data: { batch },
    sql: { statements: new StatementReader(() => loadNodeParser()) },
    now: () => new Date(0),
  } as unknown as SqlDeps
  return { deps, asked }
}

it('counts a hundred tables of a schema one by one, and estimates the others', async () => {
  const { deps, asked } = makeDeps(150)
  const { statements } = await checkSql(deps, CALLER, { sql: 'drop schema app cascade' })
  expect(asked.filter(sql => sql.includes('count(*)'))).toHaveLength(100)
  expect(statements[0]?.losses).toMatchObject([
    { object: 'app', rows: 100 * 2 + 50 * 7, rows_exact: false, cascades: true },
  ])
})

it('refuses a script that loses more than can be asked about, before it asks the database', async () => {
  const { deps, asked } = makeDeps(1)
  const names = Array.from({ length: 1_001 }, (_, i) => `t${i}`)
  await expect(checkSql(deps, CALLER, { sql: `drop table ${names.join(',')}` })).rejects.toMatchObject({
    code: 'response_too_large',
    detail: expect.stringContaining('1001'),
  })
  expect(asked).toEqual([])
})
