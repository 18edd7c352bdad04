// OPTIONS of a function: how it is called.

import type { QualifiedName } from '../../../db/sql.ts'
import { CatalogRefusal } from '../catalog/catalog-refusal.ts'
import { notFoundWords } from '../catalog/function-words.ts'
import { type DataApiDeps, type DataCall, openCall } from '../run/data-session.ts'
import { withCatalog } from '../run/with-catalog.ts'
import { answer, type DataAnswer } from './data-answer.ts'

/** 200 with `Allow`: GET and HEAD only where one of the name does not write. Throws `function_not_found`. */
export async function functionOptions(deps: DataApiDeps, call: DataCall): Promise<DataAnswer> {
  const context = openCall(deps, call, 'function')
  const { schema } = context
  const overloads = await withCatalog(deps, context, 'functions', async catalog => {
    const found = catalog?.functions(schema, call.name) ?? []
    return found.length > 0
      ? found
      : refuseUnknown({ schema, name: call.name }, catalog?.functionNames(schema, call.role) ?? [])
  })
  const reads = overloads.some(({ isVolatile }) => !isVolatile)
  return answer(deps, context, 200, null, { allow: reads ? 'OPTIONS,GET,HEAD,POST' : 'OPTIONS,POST' })
}

function refuseUnknown(called: QualifiedName, others: readonly string[]): never {
  throw new CatalogRefusal('function_not_found', `There is no function ${called.schema}.${called.name}.`, {
    hint: 'Check the name and its schema.',
    postgrest: notFoundWords(called, { names: [], wholeTypes: [] }, [], others),
  })
}
