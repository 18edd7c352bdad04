// Whether a query is a plain read of one table, so that each of its rows is a row there. Pure.

import { quoteIdentifier, quoteQualified } from '../../db/sql.ts'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { keptFields, type SyntaxNode } from '../sql/syntax-tree.ts'

/** The fields that `oneTable` reads. */
export const ONE_TABLE_FIELDS = keptFields(
  'op targetList location fromClause catalogname schemaname relname alias aliasname colnames sortClause node',
  'distinctClause groupClause havingClause windowClause valuesLists withClause lockingClause intoClause limitOffset',
)

export interface OneTable {
  /** The table's name as SQL, as far as it was written. */
  name: string
  /** What the query calls the table, as SQL. */
  alias: string
  /** Index in the text where the first thing that is selected begins. */
  selectedAt: number
}

const OTHERWISE_MADE = [
  'distinctClause',
  'groupClause',
  'havingClause',
  'windowClause',
  'valuesLists',
  'withClause',
  'lockingClause',
  'intoClause',
  // What is skipped is evaluated too, and would be noted.
  'limitOffset',
]

/**
 * The table that a statement reads; undefined where rows are joined, grouped, skipped or made otherwise, and where a
 * number stands for what is selected (`order by 1`). Aggregates look like functions: Postgres itself refuses those.
 */
export function oneTable(statement: SyntaxNode, text: string): OneTable | undefined {
  const select = asNode(statement['SelectStmt'])
  if (select['op'] !== 'SETOP_NONE' || OTHERWISE_MADE.some(name => select[name] === true)) return undefined
  const [from, ...others] = asList(select['fromClause'])
  const relation = asNode(asNode(from)['RangeVar'])
  const { relname, schemaname } = relation
  if (others.length > 0 || typeof relname !== 'string' || relation['catalogname'] !== undefined)
    return undefined
  if (asList(select['sortClause']).some(isNumbered)) return undefined
  const selected = asNode(asNode(asList(select['targetList'])[0])['ResTarget'])['location']
  if (typeof selected !== 'number') return undefined
  const alias = asNode(relation['alias'])
  if (alias['colnames'] !== undefined) return undefined
  return {
    name:
      typeof schemaname === 'string'
        ? quoteQualified({ schema: schemaname, name: relname })
        : quoteIdentifier(relname),
    alias: quoteIdentifier(typeof alias['aliasname'] === 'string' ? alias['aliasname'] : relname),
    selectedAt: indexOfByte(text, selected),
  }
}

function isNumbered(item: unknown): boolean {
  return 'A_Const' in asNode(asNode(asNode(item)['SortBy'])['node'])
}

function indexOfByte(text: string, byte: number): number {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    encodeUtf8(text).subarray(0, byte),
  ).length
}

function asNode(value: unknown): SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SyntaxNode) : {}
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
