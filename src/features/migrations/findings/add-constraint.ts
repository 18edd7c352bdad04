// ALTER TABLE ... ADD CONSTRAINT. Source: AlterTableGetLockLevel and ATExecAddConstraint, Postgres 16 to 18.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { type EffectDetails, lockOn, type RelationName, type TableEffect } from './table-effect.ts'
import { rangeVar } from './tree.ts'

const SAFER_NOT_VALID = 'Add it as NOT VALID, and VALIDATE CONSTRAINT in a later run: that blocks nobody.'
const SAFER_INDEX =
  'CREATE UNIQUE INDEX CONCURRENTLY in a file before (its first line: -- quoin:no-transaction), then ' +
  'ADD CONSTRAINT ... USING INDEX.'
const SAFER_PRIMARY = 'If a column may be null now, SET NOT NULL first, by way of a validated CHECK.'

/** What adding the constraint does, on the table and on the one that it refers to. */
export function addConstraint(table: RelationName, constraint: SyntaxNode): TableEffect[] {
  const unchecked: EffectDetails = {}
  const checked: EffectDetails = { scans: 'yes', safer: SAFER_NOT_VALID }
  const details = constraint['skip_validation'] === true ? unchecked : checked
  switch (constraint['contype']) {
    case 'CONSTR_FOREIGN':
      // Both tables get triggers, which readers do not fire. The check is a join: it may read the other table whole.
      return [
        lockOn(table, 'SHARE ROW EXCLUSIVE', details),
        lockOn(rangeVar(constraint['pktable']), 'SHARE ROW EXCLUSIVE', {
          scans: details.scans === undefined ? 'no' : 'depends',
          safer: details.safer,
        }),
      ]
    case 'CONSTR_UNIQUE':
    case 'CONSTR_PRIMARY':
      return [lockOn(table, 'ACCESS EXCLUSIVE', indexDetails(constraint))]
    case 'CONSTR_EXCLUSION':
      // Its index cannot be made beforehand.
      return [lockOn(table, 'ACCESS EXCLUSIVE', { scans: 'yes' })]
    default:
      return [lockOn(table, 'ACCESS EXCLUSIVE', details)]
  }
}

function indexDetails(constraint: SyntaxNode): EffectDetails {
  if (constraint['indexname'] === undefined) return { scans: 'yes', safer: SAFER_INDEX }
  // A primary key sets its columns NOT NULL, which reads the table unless they are.
  return constraint['contype'] === 'CONSTR_PRIMARY' ? { scans: 'depends', safer: SAFER_PRIMARY } : {}
}
