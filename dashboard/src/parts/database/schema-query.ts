// The schema as the API describes it: all of it, and one table.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'

export const schemaQuery = queryOptions({
  queryKey: ['database', 'schema'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/database/schema', { signal })),
})

export function structureQuery(schema: string, table: string) {
  return queryOptions({
    queryKey: ['database', 'schema', schema, table],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/database/tables/{schema}/{table}', { params: { path: { schema, table } }, signal }),
      ),
  })
}
