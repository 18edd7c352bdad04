// What a statement does to tables that others use: by the kind of statement. Pure. Source: "Explicit Locking" in
// Postgres' documentation and the commands' sources, Postgres 16 to 18. Not seen: what views, triggers and functions do
// to other tables, and what CASCADE takes.
//
// Kinds that are not here block nobody: they take a lock that lets others read and write (ANALYZE, COMMENT ON, CREATE
// STATISTICS, INSERT), or none on a table (GRANT, CREATE FUNCTION, ALTER TYPE ... ADD VALUE).

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { alterTable } from './alter-table.ts'
import type { Domains } from './column-types.ts'
import { dropStatement } from './drop.ts'
import { LOCK_MODES, lockOn, mergeEffects, type TableEffect } from './table-effect.ts'
import { asList, asNode, hasOption, rangeVar, unwrap } from './tree.ts'

const SAFER_INDEX = 'CREATE INDEX CONCURRENTLY, in a file whose first line is -- quoin:no-transaction.'
const SAFER_REINDEX = 'REINDEX (CONCURRENTLY), in a file whose first line is -- quoin:no-transaction.'
const SAFER_REFRESH = 'REFRESH MATERIALIZED VIEW CONCURRENTLY, which needs a unique index on the view.'
const SAFER_COPY =
  'Plain VACUUM blocks nobody; pg_repack, outside of migrations, copies a table while it is used.'
const SAFER_BATCHES = 'Change the rows in batches, each in a transaction of its own.'
const SAFER_RENAME =
  'Code that uses the old name fails from the commit on: leave a view of that name, or deploy in step.'
const SAFER_DOMAIN = 'Add it as NOT VALID, and ALTER DOMAIN ... VALIDATE CONSTRAINT in a later run.'

type Effects = (fields: SyntaxNode, domains: Domains) => TableEffect[]

const KINDS: Readonly<Record<string, Effects>> = {
  AlterTableStmt: alterTable,
  DropStmt: dropStatement,

  IndexStmt: createIndex,
  ReindexStmt: reindex,
  ClusterStmt: ({ relation }) => [copied(relation)],
  VacuumStmt: vacuum,
  RefreshMatViewStmt: refresh,

  RenameStmt: rename,
  AlterObjectSchemaStmt: ({ relation }) =>
    relation ? [lockOn(rangeVar(relation), 'ACCESS EXCLUSIVE', { safer: SAFER_RENAME })] : [],

  CreateStmt: createTable,
  // The view, where it is there already.
  ViewStmt: ({ view }) => [lockOn(rangeVar(view), 'ACCESS EXCLUSIVE')],
  // Readers fire no triggers, but rules and policies change what they see.
  CreateTrigStmt: ({ relation }) => [lockOn(rangeVar(relation), 'SHARE ROW EXCLUSIVE')],
  RuleStmt: ({ relation }) => [lockOn(rangeVar(relation), 'ACCESS EXCLUSIVE')],
  CreatePolicyStmt: ({ table }) => [lockOn(rangeVar(table), 'ACCESS EXCLUSIVE')],
  AlterPolicyStmt: ({ table }) => [lockOn(rangeVar(table), 'ACCESS EXCLUSIVE')],
  // nextval() waits, and with it every INSERT that counts by the sequence.
  AlterSeqStmt: ({ sequence }) => [lockOn(rangeVar(sequence), 'SHARE ROW EXCLUSIVE')],
  AlterDomainStmt: alterDomain,

  TruncateStmt: truncate,
  LockStmt: lockTable,
  UpdateStmt: fields => withoutWhere(fields, 'All its rows get new values'),
  DeleteStmt: fields => withoutWhere(fields, 'All its rows are lost for good'),
  DropdbStmt: () => [lockOn(undefined, 'ACCESS EXCLUSIVE', { loses: 'The database is lost for good' })],
}

/** For those who only ask which tables a statement names. */
export const NO_DOMAINS: Domains = new Set<string>()

/** The effects worth knowing of one statement's tree, one for each table; none for a statement that blocks nobody. */
export function statementEffects(statement: SyntaxNode, domains: Domains): TableEffect[] {
  const { type, fields } = unwrap(statement)
  const ofCtes = asList(asNode(fields['withClause'])['ctes']).flatMap(cte =>
    statementEffects(asNode(unwrap(cte).fields['ctequery']), domains),
  )
  return mergeEffects([...(KINDS[type]?.(fields, domains) ?? []), ...ofCtes])
}

/** The rows are read while nobody may write; concurrently, while everybody may. */
function createIndex(fields: SyntaxNode): TableEffect[] {
  const table = rangeVar(fields['relation'])
  return fields['concurrent'] === true
    ? [lockOn(table, 'SHARE UPDATE EXCLUSIVE', { scans: 'yes' })]
    : [lockOn(table, 'SHARE', { scans: 'yes', safer: SAFER_INDEX })]
}

/** The table is locked as for CREATE INDEX, but each index against readers, who plan with all indexes of a table. */
function reindex(fields: SyntaxNode): TableEffect[] {
  const relation = fields['relation'] === undefined ? undefined : rangeVar(fields['relation'])
  return hasOption(fields['params'], 'concurrently')
    ? [lockOn(relation, 'SHARE UPDATE EXCLUSIVE', { scans: 'yes' })]
    : [lockOn(relation, 'ACCESS EXCLUSIVE', { scans: 'yes', safer: SAFER_REINDEX })]
}

function copied(relation: unknown): TableEffect {
  const table = relation === undefined ? undefined : rangeVar(relation)
  return lockOn(table, 'ACCESS EXCLUSIVE', { rewrites: 'yes', scans: 'yes', safer: SAFER_COPY })
}

function vacuum(fields: SyntaxNode): TableEffect[] {
  if (fields['is_vacuumcmd'] !== true || !hasOption(fields['options'], 'full')) return []
  const tables = asList(fields['rels']).map(item => unwrap(item).fields['relation'])
  return tables.length === 0 ? [copied(undefined)] : tables.map(copied)
}

/** Concurrently, only the next REFRESH waits, since nobody writes to a materialized view. */
function refresh(fields: SyntaxNode): TableEffect[] {
  const view = rangeVar(fields['relation'])
  return fields['concurrent'] === true
    ? [lockOn(view, 'EXCLUSIVE', { blocks: 'nothing', scans: 'yes' })]
    : [lockOn(view, 'ACCESS EXCLUSIVE', { rewrites: 'yes', scans: 'yes', safer: SAFER_REFRESH })]
}

const RENAMED_WITH_TABLE = new Set(['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW', 'OBJECT_COLUMN'])

function rename(fields: SyntaxNode): TableEffect[] {
  const kind = String(fields['renameType'])
  if (fields['relation'] === undefined || fields['relationType'] === 'OBJECT_TYPE') return []
  const relation = rangeVar(fields['relation'])
  if (kind === 'OBJECT_INDEX') return [lockOn(relation, 'SHARE UPDATE EXCLUSIVE')]
  const safer = RENAMED_WITH_TABLE.has(kind) ? SAFER_RENAME : undefined
  return [lockOn(relation, 'ACCESS EXCLUSIVE', { safer })]
}

/** The new table is nobody's yet; what it refers to gets triggers, and what it is a part of gets a partition. */
function createTable(fields: SyntaxNode): TableEffect[] {
  const elements = asList(fields['tableElts']).map(item => unwrap(item).fields)
  const constraints = [...elements, ...elements.flatMap(column => asList(column['constraints']).map(inner))]
  const referred = constraints.filter(({ contype }) => contype === 'CONSTR_FOREIGN')
  const effects = referred.map(({ pktable }) => lockOn(rangeVar(pktable), 'SHARE ROW EXCLUSIVE'))
  if (fields['partbound'] !== true) return effects
  const parents = asList(fields['inhRelations'])
  return [...effects, ...parents.map(parent => lockOn(rangeVar(parent), 'ACCESS EXCLUSIVE', PARTITION))]
}

const PARTITION = {
  safer: 'CREATE TABLE ... (LIKE parent), then ATTACH PARTITION: that blocks nobody on the parent.',
}

function inner(item: unknown): SyntaxNode {
  return unwrap(item).fields
}

/** Tables with a column of the domain are read under SHARE; the text does not name them. */
function alterDomain(fields: SyntaxNode): TableEffect[] {
  const isChecked = inner(fields['def'])['skip_validation'] !== true
  const adds = fields['subtype'] === 'C' || fields['subtype'] === 'O'
  if (adds && isChecked) return [lockOn(undefined, 'SHARE', { scans: 'yes', safer: SAFER_DOMAIN })]
  return fields['subtype'] === 'V' ? [lockOn(undefined, 'SHARE', { scans: 'yes' })] : []
}

function truncate(fields: SyntaxNode): TableEffect[] {
  const isCascade = fields['behavior'] === 'DROP_CASCADE'
  const loses = isCascade
    ? 'All its rows are lost for good, and all of the tables that refer to it'
    : 'All its rows are lost for good'
  return asList(fields['relations']).map(table => lockOn(rangeVar(table), 'ACCESS EXCLUSIVE', { loses }))
}

function lockTable(fields: SyntaxNode): TableEffect[] {
  const mode = LOCK_MODES[Number(fields['mode']) - 1] ?? 'ACCESS EXCLUSIVE'
  return asList(fields['relations']).map(table => lockOn(rangeVar(table), mode))
}

/** The table's lock blocks nobody; the rows' locks block whoever would change one of them. */
function withoutWhere(fields: SyntaxNode, loses: string): TableEffect[] {
  if (fields['whereClause'] !== undefined) return []
  const details = { blocks: 'writes', scans: 'yes', loses, safer: SAFER_BATCHES } as const
  return [lockOn(rangeVar(fields['relation']), 'ROW EXCLUSIVE', details)]
}
