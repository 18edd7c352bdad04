import { expect, it } from 'vitest'
import { ONE_TABLE_FIELDS, oneTable } from '../../../src/features/try-as/one-table.ts'
import { loadNodeParser } from '../sql/node-parser.ts'

const parser = await loadNodeParser()

async function tableOf(sql: string) {
  const [statement] = await parser.parse(sql, ONE_TABLE_FIELDS)
  const found = statement && oneTable(statement.node, sql)
  return found && [found.name, found.alias, sql.slice(found.selectedAt)]
}

it.each([
  ['select * from t', '"t"', '"t"', '* from t'],
  [
    '/* é */ select a, b as c from s."T ""x""" as n where true order by a limit 3',
    '"s"."T ""x"""',
    '"n"',
    null,
  ],
  ['select all (a) from only t order by lower(a)', '"t"', '"t"', null],
])('finds the table of %s', async (sql, name, alias, rest) => {
  expect(await tableOf(sql)).toEqual([
    name,
    alias,
    rest ?? sql.slice(sql.indexOf(sql.includes('all') ? '(a)' : 'a,')),
  ])
})

it.each([
  'select 1',
  'values (1)',
  'select * from a, b',
  'select * from a join b using (id)',
  'select * from (select 1) x',
  'select * from f(1)',
  'select * from t tablesample system (1)',
  'select distinct a from t',
  'select a from t group by a',
  'select from t having true',
  'select a from t union select a from t',
  'with t as (select 1 as a) select a from t',
  'select a from t order by 1',
  'select a from t as n(a)',
  'select a from t for share',
  'select a from t offset 60000',
  'select from t',
  'select * from other.s.t',
  'insert into t values (1)',
])('finds none in %s', async sql => {
  expect(await tableOf(sql)).toBeUndefined()
})
