// Nothing that was asked for is silently ignored, except where PostgREST is followed.

import { describe, expect, test } from 'vitest'
import { QUOIN_DIALECT } from '../../../src/features/data-api/dialect.ts'
import {
  refuseIdleConflict,
  refuseUnused,
  type Use,
} from '../../../src/features/data-api/grammar/parameter-use.ts'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'

const LENIENT = { ...QUOIN_DIALECT, refusesUnusedParameters: false }
const PARAMETERS = {
  select: 'select=id',
  filter: 'id=eq.1',
  order: 'order=id',
  limit: 'limit=1',
  offset: 'offset=1',
  columns: 'columns=id',
  on_conflict: 'on_conflict=id',
}

const used: Record<Use, (keyof typeof PARAMETERS)[]> = {
  read: ['select', 'filter', 'order', 'limit', 'offset'],
  insert: ['select', 'order', 'columns', 'on_conflict'],
  update: ['select', 'filter', 'order', 'columns'],
  put: ['select', 'filter', 'order', 'columns'],
  delete: ['select', 'filter', 'order'],
  call: ['select', 'filter', 'order', 'limit', 'offset', 'columns'],
}

describe.each(Object.keys(used) as Use[])('%s', use => {
  test.each(Object.entries(PARAMETERS))(
    '%s is refused with its purpose where it has no use',
    (name, text) => {
      const query = parseQueryString(`?${text}`)
      const isUsed = used[use].some(parameter => parameter === name)
      const hint = expect.stringMatching(new RegExp(name, 'i'))
      if (isUsed) expect(() => refuseUnused(query, use, QUOIN_DIALECT)).not.toThrow()
      else {
        expect(() => refuseUnused(query, use, QUOIN_DIALECT)).toThrow(
          expect.objectContaining({ code: 'invalid_parameter', hint }),
        )
      }
      expect(() => refuseUnused(query, use, LENIENT)).not.toThrow()
    },
  )
})

test('on_conflict needs an upsert', () => {
  const query = parseQueryString('?on_conflict=id')
  expect(() => refuseIdleConflict(query, false, QUOIN_DIALECT)).toThrow('"on_conflict" has no use')
  expect(() => refuseIdleConflict(query, true, QUOIN_DIALECT)).not.toThrow()
  expect(() => refuseIdleConflict(query, false, LENIENT)).not.toThrow()
})
