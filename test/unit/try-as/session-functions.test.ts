import { expect, it } from 'vitest'
import {
  callsSessionFunction,
  SESSION_FUNCTION_FIELDS,
} from '../../../src/features/try-as/session-functions.ts'
import { loadNodeParser } from '../sql/node-parser.ts'

const parser = await loadNodeParser()

async function callsOne(sql: string) {
  const [statement] = await parser.parse(sql, SESSION_FUNCTION_FIELDS)
  return statement && callsSessionFunction(statement.node)
}

const call = "set_config('a', 'b', true)"

it.each([
  `select ${call}`,
  `select pg_catalog."set_config"('a', 'b', true)`,
  `select Set_Config /**/ ('a', 'b', true)`,
  `select U&"set\\005fconfig"('a', 'b', true)`,
  `select query_to_xml('select 1', true, true, '')`,
  `select ('select 1'::text).ts_stat`,
  `select * from ${call}`,
  `select * from t, rows from (f(), ${call}) x`,
  `select 1 where ${call} = ''`,
  `select distinct on (${call}) 1`,
  `select count(*) from t group by ${call}`,
  `select 1 having ${call} = ''`,
  `select sum(a) over w from t window w as (order by ${call})`,
  `values (${call})`,
  `select a from t order by ${call}`,
  `select 1 limit length(${call})`,
  `select 1 offset length(${call})`,
  `with x as (select ${call}) table x`,
  `select '' union select ${call}`,
  `select ${call} union select ''`,
  `select case when exists (select from t where a in (select ${call})) then 1 end`,
])('finds it in %s', async sql => {
  expect(await callsOne(sql)).toBe(true)
})

it.each([
  `select 'set_config(' as "set_config()", ts_rank(a, b) from t /* set_config() */`,
  `select '"String":{"sval":"set_config"}'`,
  'table t',
])('finds none in %s', async sql => {
  expect(await callsOne(sql)).toBe(false)
})
