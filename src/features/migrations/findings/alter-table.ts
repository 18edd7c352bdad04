// ALTER TABLE and its likes. Source: AlterTableGetLockLevel of tablecmds.c, Postgres 16 to 18. A statement with several
// actions takes the strongest lock of them.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { addColumn } from './add-column.ts'
import { addConstraint } from './add-constraint.ts'
import { type Domains, rewritesForNewType } from './column-types.ts'
import {
  type EffectDetails,
  type ForeignKeyEnd,
  type LockMode,
  lockOn,
  type RelationName,
  type TableEffect,
} from './table-effect.ts'
import { asList, asNode, rangeVar, unwrap } from './tree.ts'

const SAFER_TYPE =
  'Add a column of the new type, keep it by a trigger, fill it in batches, and change over when both agree.'
const SAFER_NOT_NULL =
  'Add CHECK (column IS NOT NULL) NOT VALID, VALIDATE CONSTRAINT in a later run; SET NOT NULL then reads nothing.'
const SAFER_REWRITE = 'Do it while the table is small, or at an hour when nobody needs it.'
const SAFER_DETACH =
  'DETACH PARTITION ... CONCURRENTLY, in a file whose first line is -- quoin:no-transaction, blocks nobody.'
const SAFER_ATTACH = 'Give the partition a validated CHECK with the same bounds first: then it is not read.'
const SAFER_DROP_COLUMN = 'Deploy code that does not name the column first, and drop it in a later run.'

/** Actions that take less than ACCESS EXCLUSIVE, which all others take. */
const WEAKER: Readonly<Record<string, LockMode>> = {
  // They change how queries are planned and rows are kept, and no answer.
  AT_SetStatistics: 'SHARE UPDATE EXCLUSIVE',
  AT_SetOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_ResetOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_ClusterOn: 'SHARE UPDATE EXCLUSIVE',
  AT_DropCluster: 'SHARE UPDATE EXCLUSIVE',
  // New rows are checked already: only the old ones are read.
  AT_ValidateConstraint: 'SHARE UPDATE EXCLUSIVE',
  // Readers fire no triggers.
  AT_EnableTrig: 'SHARE ROW EXCLUSIVE',
  AT_EnableAlwaysTrig: 'SHARE ROW EXCLUSIVE',
  AT_EnableReplicaTrig: 'SHARE ROW EXCLUSIVE',
  AT_EnableTrigAll: 'SHARE ROW EXCLUSIVE',
  AT_EnableTrigUser: 'SHARE ROW EXCLUSIVE',
  AT_DisableTrig: 'SHARE ROW EXCLUSIVE',
  AT_DisableTrigAll: 'SHARE ROW EXCLUSIVE',
  AT_DisableTrigUser: 'SHARE ROW EXCLUSIVE',
}

/** Each for all rows, unless the table is so already. */
const COPIES: EffectDetails = { rewrites: 'depends', scans: 'depends', safer: SAFER_REWRITE }

/** Actions that do more than change the catalog. */
const DETAILS: Readonly<Record<string, EffectDetails>> = {
  // Not read where a valid CHECK or the primary key proves it.
  AT_SetNotNull: { scans: 'depends', safer: SAFER_NOT_NULL },
  AT_ValidateConstraint: { scans: 'yes' },
  AT_SetLogged: COPIES,
  AT_SetUnLogged: COPIES,
  AT_SetAccessMethod: COPIES,
  AT_SetTableSpace: COPIES,
  // Of a virtual column nothing is stored.
  AT_SetExpression: COPIES,
}

/** Storage parameters that change what readers see; all others take SHARE UPDATE EXCLUSIVE. */
const STRONG_PARAMETERS = new Set(
  (
    'user_catalog_table security_barrier security_invoker check_option ' +
    'fastupdate gin_pending_list_limit buffering pages_per_range autosummarize'
  ).split(' '),
)

/** What an AlterTableStmt does: ALTER TABLE, INDEX, VIEW, MATERIALIZED VIEW, SEQUENCE, FOREIGN TABLE or TYPE. */
export function alterTable(fields: SyntaxNode, domains: Domains): TableEffect[] {
  // The attributes of a composite type are no table's.
  if (fields['objtype'] === 'OBJECT_TYPE') return []
  const table = rangeVar(fields['relation'])
  const isIndex = fields['objtype'] === 'OBJECT_INDEX'
  return asList(fields['cmds']).flatMap(item => {
    const command = unwrap(item).fields
    // Of partitioned indexes: nothing but the catalog changes, and queries use neither yet.
    if (isIndex && command['subtype'] === 'AT_AttachPartition') return []
    return alterAction(table, command, domains)
  })
}

function alterAction(table: RelationName, command: SyntaxNode, domains: Domains): TableEffect[] {
  const action = String(command['subtype'])
  const { fields } = unwrap(command['def'])
  switch (action) {
    case 'AT_AddColumn':
      return addColumn(table, fields, domains)
    case 'AT_DropColumn':
      return [lockOn(table, 'ACCESS EXCLUSIVE', lostColumn(command))]
    case 'AT_DropConstraint':
      return [lockOn(table, 'ACCESS EXCLUSIVE', { severed: severed('constraint', command) })]
    case 'AT_AddConstraint':
      return addConstraint(table, fields)
    case 'AT_AlterColumnType':
      return [alterType(table, command)]
    case 'AT_SetRelOptions':
    case 'AT_ResetRelOptions':
      return [lockOn(table, parametersLock(command['def']))]
    case 'AT_AttachPartition':
      return attachPartition(table, fields)
    case 'AT_DetachPartition':
      return detachPartition(table, fields)
    case 'AT_DetachPartitionFinalize':
      return [lockOn(table, 'SHARE UPDATE EXCLUSIVE'), lockOn(rangeVar(fields['name']), 'ACCESS EXCLUSIVE')]
    case 'AT_AddInherit':
      return [lockOn(table, 'ACCESS EXCLUSIVE'), lockOn(rangeVar(fields), 'SHARE UPDATE EXCLUSIVE')]
    default:
      return [lockOn(table, WEAKER[action] ?? 'ACCESS EXCLUSIVE', DETAILS[action])]
  }
}

function lostColumn(command: SyntaxNode): EffectDetails {
  return {
    loses: `Column ${String(command['name'])} and its values are lost for good`,
    safer: SAFER_DROP_COLUMN,
    severed: severed('column', command),
  }
}

function alterType(table: RelationName, command: SyntaxNode): TableEffect {
  const column = unwrap(command['def']).fields
  const rewrites = rewritesForNewType(column['typeName'], column['raw_default'])
  return lockOn(table, 'ACCESS EXCLUSIVE', {
    rewrites,
    scans: rewrites,
    safer: SAFER_TYPE,
    severed: severed('type', command),
  })
}

function severed(of: 'column' | 'constraint' | 'type', command: SyntaxNode): ForeignKeyEnd[] {
  return [{ of, name: String(command['name']) }]
}

function parametersLock(definition: unknown): LockMode {
  const isStrong = asList(definition).some(item =>
    STRONG_PARAMETERS.has(String(unwrap(item).fields['defname'])),
  )
  return isStrong ? 'ACCESS EXCLUSIVE' : 'SHARE UPDATE EXCLUSIVE'
}

/** The default partition, if any, is locked and read as the new one is; the text does not name it. */
function attachPartition(parent: RelationName, partition: SyntaxNode): TableEffect[] {
  const isDefault = asNode(partition['bound'])['is_default'] === true
  return [
    lockOn(parent, 'SHARE UPDATE EXCLUSIVE'),
    lockOn(rangeVar(partition['name']), 'ACCESS EXCLUSIVE', {
      scans: 'depends',
      safer: isDefault ? undefined : SAFER_ATTACH,
    }),
  ]
}

/** Concurrently, it waits for those who use the parent before it locks the partition. */
function detachPartition(parent: RelationName, partition: SyntaxNode): TableEffect[] {
  const isConcurrent = partition['concurrent'] === true
  return [
    isConcurrent
      ? lockOn(parent, 'SHARE UPDATE EXCLUSIVE')
      : lockOn(parent, 'ACCESS EXCLUSIVE', { safer: SAFER_DETACH }),
    lockOn(rangeVar(partition['name']), 'ACCESS EXCLUSIVE'),
  ]
}
