import { expect, it } from 'vitest'
import { callsOnce } from '../../../src/features/advisor/policy-expression.ts'

const FUNCTIONS = new Set(['quoin.uid', 'auth."my uid"', 'current_setting'])
const once = (expression: string) => callsOnce(expression, FUNCTIONS)

it('puts each call that does not depend on the row into a sub-select', () => {
  expect(once('(owner = quoin.uid())')).toBe('(owner = (select quoin.uid()))')
  expect(once(`((a = auth."my uid"()) OR (b = (quoin.uid())::uuid))`)).toBe(
    `((a = (select auth."my uid"())) OR (b = ((select quoin.uid()))::uuid))`,
  )
  expect(once(`(tenant = (current_setting('app.tenant'::text, true))::integer)`)).toBe(
    `(tenant = ((select current_setting('app.tenant'::text, true)))::integer)`,
  )
  expect(once('private.member(quoin.uid(), team)')).toBe('private.member((select quoin.uid()), team)')
})

it('leaves alone what is in a sub-select already', () => {
  expect(once('(owner = ( SELECT quoin.uid() AS uid))')).toBeUndefined()
  const exists = "(EXISTS ( SELECT 1 FROM members WHERE ((m.owner = quoin.uid()) AND (m.name = ')'::text))))"
  expect(once(exists)).toBeUndefined()
  expect(once(`(${exists} OR (owner = quoin.uid()))`)).toBe(`(${exists} OR (owner = (select quoin.uid())))`)
})

it('leaves alone what stands directly in ANY or ALL, where a sub-select would mean its rows', () => {
  expect(once('(team = ANY (quoin.uid()))')).toBeUndefined()
  expect(once('(team <> ALL ((quoin.uid())))')).toBeUndefined()
  expect(once('(team = ANY ((quoin.uid())::text[]))')).toBe('(team = ANY (((select quoin.uid()))::text[]))')
  expect(once('((owner = quoin.uid()) OR (team = ANY (quoin.uid())))')).toBe(
    '((owner = (select quoin.uid())) OR (team = ANY (quoin.uid())))',
  )
})

it('takes neither strings, nor names, nor calls that depend on the row for such a call', () => {
  expect(once(`(body = 'it''s quoin.uid()'::text)`)).toBeUndefined()
  expect(once('("quoin.uid"() = my_quoin.uid())')).toBeUndefined()
  expect(once("(current_setting(name) = 'x'::text)")).toBeUndefined()
  expect(once("(current_setting(text, true) = 'x'::text)")).toBeUndefined()
  expect(once('')).toBeUndefined()
})
