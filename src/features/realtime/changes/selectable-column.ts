// Whether a subscription may name a column. Pure.

import type { DatabaseRole } from '../../../db/database.ts'
import { DomainError, type ErrorCode } from '../../../errors.ts'
import { nearestName } from '../../../lib/nearest-name.ts'
import type { SightTable } from '../sight/sight-contract.ts'

/** Throws `code` unless the table has the column in its images and the role may select it. */
export function selectableColumn(code: ErrorCode, table: SightTable, role: DatabaseRole, name: string): void {
  const isThere = table.columns.some(column => column.name === name)
  const selectable = table.selectable[role]
  if (isThere && selectable.includes(name)) return
  if (isThere) throw new DomainError(code, `permission denied for column "${name}" of "${table.table_name}".`)
  if (selectable.includes(name)) {
    throw new DomainError(
      code,
      `Changes of "${table.table_name}" do not have "${name}", which is computed when read.`,
    )
  }
  const nearest = nearestName(name, selectable)
  throw new DomainError(code, `"${table.table_name}" has no column "${name}".`, {
    hint: nearest === undefined ? undefined : `Perhaps you meant "${nearest}".`,
  })
}
