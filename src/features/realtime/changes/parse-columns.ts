// The `select` of a subscription. Pure.

import type { DatabaseRole } from '../../../db/database.ts'
import { DomainError } from '../../../errors.ts'
import { parseNames } from '../../data-api/grammar/grammar.ts'
import { COLUMNS_MAX } from '../../data-api/limits.ts'
import type { SightTable } from '../sight/sight-contract.ts'
import { selectableColumn } from './selectable-column.ts'

/**
 * Names in a list, as supabase-js sends them, or joined by commas; null for all columns (`*`, or none named). Throws
 * `invalid_select`.
 */
export function parseColumns(
  table: SightTable,
  role: DatabaseRole,
  select: string | readonly string[],
): readonly string[] | null {
  const isText = typeof select === 'string'
  if (isText ? ['', '*'].includes(select.trim()) : select.length === 0 || select.includes('*')) return null
  if (select.length > COLUMNS_MAX && !isText)
    throw new DomainError('invalid_select', `select takes at most ${COLUMNS_MAX} columns.`)
  const names = isText ? parseNames('select', select) : [...new Set(select)]
  for (const name of names) selectableColumn('invalid_select', table, role, name)
  return names
}
