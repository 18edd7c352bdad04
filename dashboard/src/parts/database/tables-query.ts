// The tables that the data API serves: what one view lists, and the other completes.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'

export const tablesQuery = queryOptions({
  queryKey: ['database', 'tables'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/database/tables', { signal })),
})
