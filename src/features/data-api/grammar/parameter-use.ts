// Which parameters of the query string each request makes use of. What it makes none of is refused, or ignored where
// PostgREST is followed: a limit that an insert ignores looks as if it had worked. Pure.

import { DomainError } from '../../../errors.ts'
import type { Dialect } from '../dialect.ts'
import type { DataQuery } from './query-ast.ts'

type Parameter = 'select' | 'filter' | 'order' | 'limit' | 'offset' | 'columns' | 'on_conflict'

/** What each kind of request cannot use. */
const UNUSED = {
  read: ['columns', 'on_conflict'],
  insert: ['filter', 'limit', 'offset'],
  update: ['limit', 'offset', 'on_conflict'],
  put: ['limit', 'offset', 'on_conflict'],
  delete: ['limit', 'offset', 'columns', 'on_conflict'],
  call: ['on_conflict'],
} as const satisfies Record<string, readonly Parameter[]>

export type Use = keyof typeof UNUSED

const REQUEST: Readonly<Record<Use, string>> = {
  read: 'a read',
  insert: 'an insert',
  update: 'an update',
  put: 'a PUT',
  delete: 'a delete',
  call: 'a function call',
}

const PURPOSE: Readonly<Record<Parameter, string>> = {
  select: 'select chooses columns of rows.',
  filter: 'A filter such as id=eq.1 chooses among existing rows: to change them use PATCH.',
  order: 'order sorts rows.',
  limit:
    'limit bounds the rows of a read; Prefer: max-affected=n on PATCH and DELETE changes nothing when more match.',
  offset: 'offset skips rows of a read.',
  columns: 'columns names the keys of a body that are used, with POST and PATCH.',
  on_conflict:
    'on_conflict names the columns that an upsert looks at: POST with Prefer: resolution=merge-duplicates.',
}

/** Throws `invalid_parameter` for the first parameter that the request would ignore, and says what it is for. */
export function refuseUnused(query: DataQuery, use: Use, { refusesUnusedParameters }: Dialect): void {
  if (!refusesUnusedParameters) return
  const unused = UNUSED[use].find(parameter => isSent(query, parameter))
  if (unused !== undefined) throw unusedParameter(unused, REQUEST[use])
}

/** Throws `invalid_parameter` for an `on_conflict` whose insert is no upsert. */
export function refuseIdleConflict(query: DataQuery, isUpsert: boolean, dialect: Dialect): void {
  if (!dialect.refusesUnusedParameters || isUpsert || query.onConflict === undefined) return
  throw unusedParameter('on_conflict', 'an insert without Prefer: resolution')
}

function unusedParameter(parameter: Parameter, request: string): DomainError {
  const what = parameter === 'filter' ? 'A filter' : `"${parameter}"`
  return new DomainError('invalid_parameter', `${what} has no use in ${request}.`, {
    hint: `${PURPOSE[parameter]} Leave it out here.`,
  })
}

function isSent(query: DataQuery, parameter: Parameter): boolean {
  switch (parameter) {
    case 'select':
      return query.select.some(({ kind }) => kind !== 'all')
    case 'filter':
      return query.filters.length > 0
    case 'order':
      return query.order.length > 0
    case 'on_conflict':
      return query.onConflict !== undefined
    default:
      return query[parameter] !== undefined
  }
}
