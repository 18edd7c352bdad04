// The filter operators by name, and what a test of each looks like in text. Pure.

import { nearestName } from '../../../lib/nearest-name.ts'
import type { CompareOperator, QuantifiableOperator, TextSearchOperator } from './query-ast.ts'

/** SQL of the operators that stand between a column and a value. */
export const COMPARE_SQL: Readonly<Record<CompareOperator, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
}

/** The function that reads a text-search operator's value. */
export const TEXT_SEARCH_SQL: Readonly<Record<TextSearchOperator, string>> = {
  fts: 'pg_catalog.to_tsquery',
  plfts: 'pg_catalog.plainto_tsquery',
  phfts: 'pg_catalog.phraseto_tsquery',
  wfts: 'pg_catalog.websearch_to_tsquery',
}

const QUANTIFIABLE: ReadonlySet<string> = new Set<QuantifiableOperator>([
  'eq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'match',
  'imatch',
])

export const OPERATOR_NAMES: readonly string[] = [
  ...Object.keys(COMPARE_SQL),
  'in',
  'is',
  ...Object.keys(TEXT_SEARCH_SQL),
]

export function isCompareOperator(name: string): name is CompareOperator {
  return Object.hasOwn(COMPARE_SQL, name)
}

export function isQuantifiable(name: string): name is QuantifiableOperator {
  return QUANTIFIABLE.has(name)
}

export function isTextSearchOperator(name: string): name is TextSearchOperator {
  return Object.hasOwn(TEXT_SEARCH_SQL, name)
}

const OPERATOR_START = new RegExp(
  `^(?:not\\.)?(?:${OPERATOR_NAMES.join('|')})(?:\\((?:any|all)\\)|(?<=fts)\\([^()]*\\))?\\.`,
)

/** True for a value that begins as a condition does: `eq.`, `not.in.`, `like(any).`, `fts(english).`. */
export function beginsWithOperator(value: string): boolean {
  return OPERATOR_START.test(value)
}

/** What people write who know SQL or another API, and what it is called here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '=': 'eq',
  equal: 'eq',
  equals: 'eq',
  ne: 'neq',
  '<>': 'neq',
  '!=': 'neq',
  '>': 'gt',
  '>=': 'gte',
  ge: 'gte',
  '<': 'lt',
  '<=': 'lte',
  le: 'lte',
  contains: 'cs',
  overlaps: 'ov',
  regex: 'match',
}

/** What to do about an operator that does not exist; `complete` is the condition with one in front of its value. */
export function operatorHint(name: string, complete: string | undefined): string {
  const meant = OTHER_NAMES[name.toLowerCase()] ?? nearestName(name.toLowerCase(), OPERATOR_NAMES)
  const known = `The operators are ${OPERATOR_NAMES.join(', ')}; "not." before one negates it.`
  if (meant !== undefined) return `Perhaps you meant "${meant}". ${known}`
  return complete === undefined ? known : `Perhaps you meant ${complete}. ${known}`
}
