// DROP of tables and of what is on tables: what it locks and what is lost. Pure. Source: RemoveRelations and
// RemoveObjects, Postgres 16 to 18.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { lockOn, type TableEffect } from './table-effect.ts'
import { asList, namesOf, relationOf } from './tree.ts'

const SAFER_INDEX = 'DROP INDEX CONCURRENTLY, in a file whose first line is -- quoin:no-transaction.'
const SAFER_TABLE = 'Deploy code that does not name it first, and drop it in a later run.'

/** What has a name among the relations, and no index. */
const RELATIONS = new Set([
  'OBJECT_TABLE',
  'OBJECT_VIEW',
  'OBJECT_MATVIEW',
  'OBJECT_SEQUENCE',
  'OBJECT_FOREIGN_TABLE',
])
/** Dropped by a name behind the table's. */
const PARTS = new Set(['OBJECT_TRIGGER', 'OBJECT_POLICY', 'OBJECT_RULE'])

/** DROP of anything; none for what is no relation and on none. */
export function dropStatement(fields: SyntaxNode): TableEffect[] {
  const kind = String(fields['removeType'])
  const names = asList(fields['objects']).map(namesOf)
  // Triggers too: a scan of the catalog must not find a trigger whose function is gone.
  if (PARTS.has(kind)) return names.map(name => lockOn(relationOf(name.slice(0, -1)), 'ACCESS EXCLUSIVE'))
  if (kind === 'OBJECT_INDEX') {
    return names.map(name =>
      fields['concurrent'] === true
        ? lockOn(relationOf(name), 'SHARE UPDATE EXCLUSIVE')
        : lockOn(relationOf(name), 'ACCESS EXCLUSIVE', { safer: SAFER_INDEX }),
    )
  }
  if (!RELATIONS.has(kind)) return []
  return names.map(name =>
    lockOn(relationOf(name), 'ACCESS EXCLUSIVE', {
      loses: kind === 'OBJECT_TABLE' ? lostTable(fields) : undefined,
      safer: SAFER_TABLE,
      severed: [{ of: 'table' }],
    }),
  )
}

function lostTable(fields: SyntaxNode): string {
  return fields['behavior'] === 'DROP_CASCADE'
    ? 'The table and its rows are lost for good, with the views and foreign keys that depend on it'
    : 'The table and its rows are lost for good'
}
