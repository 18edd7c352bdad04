// A call to the data API out of a route's request: who makes it, and what the verbs may know of it.

import { databaseCaller } from '../callers/database-caller.ts'
import { STATEMENT_TIMEOUT_MS } from './limits.ts'
import type { DataCall } from './run/data-session.ts'

type Input = Parameters<typeof databaseCaller>[0] &
  Pick<DataCall, 'search' | 'readBodyBytes' | 'readRawBytes'> & {
    deps: { config: { readonly anonStatementTimeoutMs: number } }
  }

/** The call on the table, view or function of this name. */
export function dataCall(name: string, input: Input): DataCall {
  const { principal, deps, search, readBodyBytes, readRawBytes } = input
  const caller = databaseCaller(input)
  return {
    ...caller,
    name,
    search,
    timeoutMs: caller.role === 'service_role' ? STATEMENT_TIMEOUT_MS : deps.config.anonStatementTimeoutMs,
    // Functions of the user may not choose headers under /api: the origin is the administrator's.
    isAnswerFixed: principal.kind === 'session',
    readBodyBytes,
    readRawBytes,
  }
}
