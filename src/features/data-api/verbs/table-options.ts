// OPTIONS of a table or view: which methods it takes.

import type { QualifiedName } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { nearestName } from '../../../lib/nearest-name.ts'
import { type DataApiDeps, type DataCall, openCall } from '../run/data-session.ts'
import { unknownTable } from '../run/postgrest-words.ts'
import { withCatalog } from '../run/with-catalog.ts'
import { answer, type DataAnswer } from './data-answer.ts'

const READS = ['OPTIONS', 'GET', 'HEAD']

/** 200 with `Allow`: what the relation takes of a caller who has the rights. Throws `not_found`. */
export async function tableOptions(deps: DataApiDeps, call: DataCall): Promise<DataAnswer> {
  const context = openCall(deps, call, 'table')
  const { schema } = context
  const { changes, primaryKey } = await withCatalog(deps, context, 'relation', async catalog => {
    const names = catalog?.relationNames(schema, call.role) ?? []
    return catalog?.relation(schema, call.name) ?? refuseUnknown({ schema, name: call.name }, names)
  })
  // Who can be inserted and updated by its key can be put.
  const puts = primaryKey.length > 0 && changes.includes('POST') && changes.includes('PATCH')
  const writes = changes.flatMap(method => (method === 'POST' && puts ? [method, 'PUT'] : [method]))
  return answer(deps, context, 200, null, { allow: [...READS, ...writes].join(',') })
}

function refuseUnknown(table: QualifiedName, names: readonly string[]): never {
  const near = nearestName(table.name, names)
  throw new DomainError('not_found', `The table "${table.schema}.${table.name}" does not exist.`, {
    hint: near === undefined ? 'Check the name and its schema.' : `Perhaps you meant the table "${near}".`,
    allowedMethods: READS,
    postgrest: unknownTable(table, names),
  })
}
