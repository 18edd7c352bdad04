// How a statement changes which names stand for which tables: what is new is nobody's yet, and what is renamed keeps
// its size. Pure.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import type { RelationName } from './table-effect.ts'
import { asList, asNode, namesOf, rangeVar, relationOf, unwrap } from './tree.ts'

export type NameChange =
  | { readonly kind: 'made' | 'dropped'; readonly name: RelationName }
  | { readonly kind: 'domain_made'; readonly domain: string }
  | { readonly kind: 'renamed'; readonly name: RelationName; readonly to: RelationName }
  /** Of the names behind it; undefined for the one that the session began with. */
  | { readonly kind: 'search_path'; readonly path: readonly string[] | undefined }

const TEMPORARY = 'pg_temp'
const RENAMED = new Set(['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW', 'OBJECT_SEQUENCE', 'OBJECT_INDEX'])
const DROPPED = new Set([...RENAMED, 'OBJECT_FOREIGN_TABLE'])

/** The change that one statement makes. IF NOT EXISTS and OR REPLACE make nothing for sure. */
export function nameChanges(statement: SyntaxNode): NameChange[] {
  const { type, fields } = unwrap(statement)
  switch (type) {
    case 'CreateStmt':
      return fields['if_not_exists'] === true ? [] : [made(fields['relation'])]
    case 'CreateForeignTableStmt':
      return nameChanges({ CreateStmt: asNode(fields['base']) })
    case 'CreateTableAsStmt':
      return fields['if_not_exists'] === true ? [] : [made(asNode(fields['into'])['rel'])]
    case 'SelectStmt':
      return fields['intoClause'] === undefined ? [] : [made(asNode(fields['intoClause'])['rel'])]
    case 'ViewStmt':
      return fields['replace'] === true ? [] : [made(fields['view'])]
    case 'DropStmt':
      return DROPPED.has(String(fields['removeType']))
        ? asList(fields['objects']).map(name => ({ kind: 'dropped', name: relationOf(namesOf(name)) }))
        : []
    case 'CreateDomainStmt':
      return [{ kind: 'domain_made', domain: namesOf(fields['domainname']).at(-1) ?? '' }]
    case 'RenameStmt':
      return RENAMED.has(String(fields['renameType'])) ? [renamed(fields)] : []
    case 'AlterObjectSchemaStmt':
      return fields['relation'] === undefined ? [] : [moved(fields)]
    case 'VariableSetStmt':
      return fields['name'] === 'search_path' ? [{ kind: 'search_path', path: newPath(fields) }] : []
    default:
      return []
  }
}

function made(relation: unknown): NameChange {
  const name = rangeVar(relation)
  const isTemporary = asNode(relation)['relpersistence'] === 't'
  return { kind: 'made', name: isTemporary ? { ...name, schema: TEMPORARY } : name }
}

function renamed(fields: SyntaxNode): NameChange {
  const name = rangeVar(fields['relation'])
  return { kind: 'renamed', name, to: { ...name, name: String(fields['newname']) } }
}

function moved(fields: SyntaxNode): NameChange {
  const name = rangeVar(fields['relation'])
  return { kind: 'renamed', name, to: { ...name, schema: String(fields['newschema']) } }
}

/** Each name is looked for in each schema; nobody has so many. */
const PATH_SCHEMAS_MAX = 16

function newPath(fields: SyntaxNode): string[] | undefined {
  if (fields['kind'] !== 'VAR_SET_VALUE') return undefined
  const schemas = asList(fields['args']).slice(0, PATH_SCHEMAS_MAX)
  return schemas.map(arg => String(asNode(unwrap(arg).fields['sval'])['sval'] ?? ''))
}
