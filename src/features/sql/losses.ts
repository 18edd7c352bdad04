// What a statement would take away for good: all rows of a table, or an object with what is in it. Pure; decided from
// Postgres' syntax tree. What code in the database does (functions, DO blocks, triggers) no tree shows.

import { commandTag } from './command-tag.ts'
import { keptFields, type SyntaxNode } from './syntax-tree.ts'

export const LOSS_KINDS = [
  'delete_rows',
  'update_rows',
  'merge_rows',
  'truncate',
  'drop',
  'drop_column',
  'drop_constraint',
  'change_type',
] as const

/** One thing that is lost. */
export interface Loss {
  kind: (typeof LOSS_KINDS)[number]
  /** `table`, `materialized view`, `schema` and so on. */
  objectKind: string
  /** The object's name with its qualifiers, as it is written. */
  names: readonly string[]
  /** Of a column or a constraint, its name. */
  part: string | null
  /** CASCADE is written: what depends on the object goes too. */
  cascades: boolean
  /** Whose rows are lost. */
  rowsOf: 'table' | 'table_only' | 'schema' | 'nothing'
}

const NAMES = 'relation relname schemaname inh relations objects items sval objname names roles rolename'
const OTHER_NAMES = 'dbname subname tablespacename servername typeName name'
const KINDS = 'removeType objtype subtype behavior defname options commandType matchKind'
const TAGS = 'kind is_procedure objectType renameType relationType'
const NESTED = 'withClause ctes ctequery query selectStmt mergeWhenClauses cmds'

/** The fields that `lossesOf` reads, and `commandTag`. */
export const LOSS_FIELDS = keptFields(
  [NAMES, OTHER_NAMES, KINDS, TAGS, NESTED].join(' '),
  'condition',
  'whereClause joinCondition',
)

/** Everything that the statement loses by itself, in the order in which it is written. */
export function lossesOf(statement: SyntaxNode): Loss[] {
  const [name, value] = Object.entries(statement)[0] ?? []
  const fields = asNode(value)
  if (name === undefined || (name === 'ExplainStmt' && !isAnalysed(fields))) return []
  const parts = asList(asNode(fields['withClause'])['ctes']).map(
    item => unwrap(item, 'CommonTableExpr')['ctequery'],
  )
  const nested = [...parts, fields['query'], fields['selectStmt']].flatMap(node => lossesOf(asNode(node)))
  return [...nested, ...ownLosses(name, fields)]
}

function ownLosses(name: string, fields: SyntaxNode): Loss[] {
  switch (name) {
    case 'DeleteStmt':
      return fields['whereClause'] === true ? [] : [rowsLost('delete_rows', fields['relation'])]
    case 'UpdateStmt':
      return fields['whereClause'] === true ? [] : [rowsLost('update_rows', fields['relation'])]
    case 'MergeStmt':
      return choosesNoRows(fields) ? [rowsLost('merge_rows', fields['relation'])] : []
    case 'TruncateStmt':
      return asList(fields['relations']).map(item => ({
        ...rowsLost('truncate', unwrap(item, 'RangeVar')),
        cascades: cascades(fields),
      }))
    case 'AlterTableStmt':
      return asList(fields['cmds']).flatMap(item => alteration(fields, unwrap(item, 'AlterTableCmd')))
    case 'AlterDomainStmt':
      // As AlterDomainStmt of parsenodes.h has it: X is DROP CONSTRAINT.
      return fields['subtype'] === 'X' ? [domainConstraint(fields)] : []
    default:
      return name.startsWith('Drop') ? dropped(name, fields) : []
  }
}

function rowsLost(kind: Loss['kind'], relation: unknown): Loss {
  const fields = asNode(relation)
  // Without ONLY a table stands for its partitions and children too.
  const rowsOf = fields['inh'] === true ? 'table' : 'table_only'
  return { kind, objectKind: 'table', names: relationNames(fields), part: null, cascades: false, rowsOf }
}

/**
 * MERGE: a branch without a condition of its own that changes or deletes what the source does not choose. A join by
 * columns chooses the rows that match; BY SOURCE means those that do not.
 */
function choosesNoRows(fields: SyntaxNode): boolean {
  return asList(fields['mergeWhenClauses']).some(item => {
    const clause = unwrap(item, 'MergeWhenClause')
    if (clause['condition'] === true) return false
    if (clause['commandType'] !== 'CMD_DELETE' && clause['commandType'] !== 'CMD_UPDATE') return false
    return clause['matchKind'] === 'MERGE_WHEN_NOT_MATCHED_BY_SOURCE' || fields['joinCondition'] !== true
  })
}

const ALTERATIONS: Readonly<Record<string, Loss['kind']>> = {
  AT_DropColumn: 'drop_column',
  AT_DropConstraint: 'drop_constraint',
  AT_AlterColumnType: 'change_type',
}

function alteration(statement: SyntaxNode, command: SyntaxNode): Loss[] {
  const kind = ALTERATIONS[String(command['subtype'])]
  if (kind === undefined) return []
  const objectKind = (commandTag('AlterTableStmt', statement) ?? '').replace('ALTER ', '').toLowerCase()
  return [
    {
      kind,
      objectKind,
      names: relationNames(asNode(statement['relation'])),
      part: String(command['name']),
      cascades: cascades(command),
      rowsOf: objectKind === 'table' && kind !== 'drop_constraint' ? 'table' : 'nothing',
    },
  ]
}

function domainConstraint(fields: SyntaxNode): Loss {
  return {
    kind: 'drop_constraint',
    objectKind: 'domain',
    names: strings(fields['typeName']),
    part: String(fields['name']),
    cascades: cascades(fields),
    rowsOf: 'nothing',
  }
}

/** Every statement that begins with DROP: what Postgres adds to them is here by itself. */
function dropped(nodeName: string, fields: SyntaxNode): Loss[] {
  const tag = commandTag(nodeName, fields)
  const objectKind =
    tag === undefined ? nodeName.slice('Drop'.length, -'Stmt'.length) : tag.slice('DROP '.length)
  const rowsOf =
    fields['removeType'] === 'OBJECT_TABLE'
      ? 'table'
      : fields['removeType'] === 'OBJECT_SCHEMA'
        ? 'schema'
        : 'nothing'
  return droppedNames(fields).map(names => ({
    kind: 'drop',
    objectKind: objectKind.toLowerCase(),
    names,
    part: null,
    cascades: cascades(fields),
    rowsOf,
  }))
}

function droppedNames(fields: SyntaxNode): string[][] {
  const objects = [...asList(fields['objects']), ...asList(fields['roles'])]
  if (objects.length > 0) return objects.map(strings)
  const name = ['dbname', 'subname', 'tablespacename', 'servername'].map(field => fields[field])
  return [name.filter(item => typeof item === 'string')]
}

/** All strings of a name, wherever the node keeps them: a list, an object with arguments, a type, a role. */
function strings(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(strings)
  const node = asNode(value)
  if (typeof node['sval'] === 'string') return [node['sval']]
  if (typeof node['rolename'] === 'string') return [node['rolename']]
  return Object.values(node).flatMap(item => (typeof item === 'object' ? strings(item) : []))
}

function relationNames(fields: SyntaxNode): string[] {
  return [fields['schemaname'], fields['relname']].filter(item => typeof item === 'string')
}

function cascades(fields: SyntaxNode): boolean {
  return fields['behavior'] === 'DROP_CASCADE'
}

function isAnalysed(explain: SyntaxNode): boolean {
  return asList(explain['options']).some(item => unwrap(item, 'DefElem')['defname'] === 'analyze')
}

function unwrap(item: unknown, name: string): SyntaxNode {
  return asNode(asNode(item)[name])
}

function asNode(value: unknown): SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SyntaxNode) : {}
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
