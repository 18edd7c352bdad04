// OPTIONS of a function: how it is called.

import { DomainError } from '../../../errors.ts'
import { refuseBadName } from '../grammar/names.ts'
import { chooseSchema, type DataApiDeps, type DataCall, dataSession } from '../run/data-session.ts'
import { withCatalog } from '../run/with-catalog.ts'
import { answer, type DataAnswer } from './data-answer.ts'

/** 200 with `Allow`: GET and HEAD only where one of the name does not write. Throws `function_not_found`. */
export async function functionOptions(deps: DataApiDeps, call: DataCall): Promise<DataAnswer> {
  refuseBadName('invalid_parameter', 'The name of the function', call.name)
  const schema = chooseSchema(call, deps.config.dbSchemas)
  const session = dataSession(call, schema, deps.config.dbExtraSearchPath)
  const context = { call, schema, session, query: undefined }
  const overloads = await withCatalog(deps, context, 'functions', async catalog => {
    const found = catalog?.functions(schema, call.name) ?? []
    return found.length > 0 ? found : refuseUnknown(`${schema}.${call.name}`)
  })
  const reads = overloads.some(({ isVolatile }) => !isVolatile)
  return answer(deps, context, 200, null, { allow: reads ? 'OPTIONS,GET,HEAD,POST' : 'OPTIONS,POST' })
}

function refuseUnknown(name: string): never {
  const message = `Could not find the function ${name} without parameters in the schema cache`
  const searched = `Searched for the function ${name} without parameters`
  throw new DomainError('function_not_found', `There is no function ${name}.`, {
    hint: 'Check the name and its schema.',
    postgrest: {
      code: 'PGRST202',
      message,
      details: `${searched}, but no matches were found in the schema cache.`,
    },
  })
}
