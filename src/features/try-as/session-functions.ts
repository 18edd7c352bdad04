// Functions of Postgres by which a query would stop being the caller's that it is tried as. Pure.

import type { SyntaxNode } from '../sql/syntax-tree.ts'
import { keptFields, namesSought } from '../sql/syntax-tree.ts'

/** They set settings, the role among them, or run SQL that is a text to them, which could call those that do. */
const NAMES = [
  'set_config',
  'query_to_xml',
  'query_to_xmlschema',
  'query_to_xml_and_xmlschema',
  'ts_rewrite',
  'ts_stat',
]

/** All that may stand in a query. */
const PARTS =
  'distinctClause intoClause targetList fromClause whereClause groupClause havingClause windowClause valuesLists ' +
  'sortClause limitOffset limitCount lockingClause withClause larg rarg'

/** The fields that `callsSessionFunction` reads. */
export const SESSION_FUNCTION_FIELDS = keptFields('', '', PARTS, namesSought(NAMES))

/**
 * Whether a query itself names one of them, however it is written. What functions of the schema do is theirs: a real
 * caller may call them.
 */
export function callsSessionFunction(statement: SyntaxNode): boolean {
  return Object.values((statement['SelectStmt'] ?? {}) as SyntaxNode).includes(true)
}
