// A statement that another view hands to the SQL view. In memory: an address would keep it, and it may be long.

import { queryClient } from '../../api/query-client.ts'

const HANDED_OVER = ['sql', 'handed over']

/** The text that was handed over, once. */
export function takeHandedSql(): string | undefined {
  const sql = queryClient.getQueryData<string>(HANDED_OVER)
  queryClient.removeQueries({ queryKey: HANDED_OVER })
  return sql
}

/** For the SQL view to open with: the next `takeHandedSql` there has it. */
export function handOverSql(sql: string): void {
  queryClient.setQueryData(HANDED_OVER, sql)
}
