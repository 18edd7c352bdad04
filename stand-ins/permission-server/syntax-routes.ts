// Whether a text is a permission file: no errors, or each with its place.

import type { LanguageError, Place } from '../../src/features/permissions/language/ast.ts'
import { parsePermissionFile } from '../../src/features/permissions/language/parse.ts'
import type { Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'

export const syntaxRoute: Route = {
  method: 'POST',
  path: '/opl/syntax/check',
  handle: async c => {
    const { errors } = parsePermissionFile(await c.req.text())
    return answerJson(c, errors.length === 0 ? {} : { errors: errors.map(onTheWire) })
  },
}

function onTheWire({ message, start, end }: LanguageError) {
  return { message, start: placeOnTheWire(start), end: placeOnTheWire(end) }
}

/** The capital letter is Keto's. */
function placeOnTheWire({ line, column }: Place) {
  return { Line: line, column }
}
