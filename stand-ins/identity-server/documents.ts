// The identity schema.

import { pathParameter, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { WireError } from '../service/wire-error.ts'
import type { IdentityContext } from './context.ts'
import { SCHEMA_ID, SCHEMA_ID_ENCODED } from './traits-schema.ts'

export function schemaRoutes({ schema }: Pick<IdentityContext, 'schema'>): Route[] {
  const list: Route['handle'] = c => {
    c.header('x-total-count', '1')
    return answerJson(c, [{ id: SCHEMA_ID, schema: schema.document }])
  }
  const get: Route['handle'] = c => {
    const id = pathParameter(c, 'id')
    if (id !== SCHEMA_ID && id !== SCHEMA_ID_ENCODED)
      throw new WireError(404, { reason: `Identity schema \`${id}\` could not be found.` })
    return answerJson(c, schema.document)
  }
  return [
    { method: 'GET', path: '/schemas', handle: list },
    { method: 'GET', path: '/schemas/:id', handle: get },
  ]
}
