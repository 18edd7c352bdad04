// Reading Postgres' syntax trees. Fields that hold their default are not there; names are as in parsenodes.h.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import type { RelationName } from './table-effect.ts'

/** The name of a wrapped node (`{ SelectStmt: {...} }`) and what is in it. */
export function unwrap(node: unknown): { type: string; fields: SyntaxNode } {
  const [type = '', fields] = Object.entries((node ?? {}) as SyntaxNode)[0] ?? []
  return { type, fields: asNode(fields) }
}

export function asNode(value: unknown): SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SyntaxNode) : {}
}

/** A list, bare or as a `List` node. */
export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const items = asNode(asNode(value)['List'])['items']
  return Array.isArray(items) ? items : []
}

/** The strings of a list of `String` nodes: a name with its qualifiers. */
export function namesOf(value: unknown): string[] {
  return asList(value).map(item => String(unwrap(item).fields['sval'] ?? ''))
}

/** A relation by its `RangeVar`, wrapped or not. */
export function rangeVar(value: unknown): RelationName {
  const fields = asNode(asNode(value)['RangeVar'] ?? value)
  const schema = fields['schemaname']
  return { schema: schema === undefined ? undefined : String(schema), name: String(fields['relname'] ?? '') }
}

/** A relation by the strings of its name. */
export function relationOf(names: readonly string[]): RelationName {
  return { schema: names.at(-2), name: names.at(-1) ?? '' }
}

/** Whether a `DefElem` such as FULL or CONCURRENTLY is there and not switched off. */
export function hasOption(options: unknown, name: string): boolean {
  return asList(options).some(option => {
    const { fields } = unwrap(option)
    if (fields['defname'] !== name) return false
    const value = unwrap(fields['arg']).fields
    const text = String(value['sval'] ?? value['ival'] ?? value['boolval'] ?? (fields['arg'] ? '0' : 'true'))
    return !['false', 'off', '0'].includes(text.toLowerCase())
  })
}
