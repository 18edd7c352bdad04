// One call to the data API, and the database session it gets: who it acts as, what its policies may read.

import { callerSession, type DatabaseCaller } from '../../../db/caller-session.ts'
import type { DataDatabase, DataSession } from '../../../db/database.ts'
import { DomainError } from '../../../errors.ts'
import type { CatalogCache } from '../catalog/catalog.ts'
import { refuseBadName } from '../grammar/names.ts'
import type { DataQuery } from '../grammar/query-ast.ts'

/** What every verb of this feature needs. */
export interface DataApiDeps {
  readonly data: Pick<DataDatabase, 'batch' | 'batchForBody'>
  readonly catalog: CatalogCache
  readonly config: {
    readonly dbSchemas: readonly string[]
    readonly dbExtraSearchPath: readonly string[]
    readonly dbPlanEnabled: boolean
  }
}

/** What a verb needs to know of the request; the body is read only by verbs that have one. */
export interface DataCall extends DatabaseCaller {
  /** Table, view or function, as in the path. */
  readonly name: string
  /** The raw query string with its question mark; empty without one. */
  readonly search: string
  /** How long the call may take in the database. */
  readonly timeoutMs: number
  /** True: what functions and triggers set of status and headers is passed over. */
  readonly isAnswerFixed?: boolean
  /** The body as valid UTF-8. */
  readonly readBodyBytes: () => Promise<Uint8Array>
  /** The body as it came. */
  readonly readRawBytes: () => Promise<Uint8Array>
}

/** A request on its way: who calls, on what, in which session. */
export interface DataContext {
  readonly call: DataCall
  readonly schema: string
  readonly session: DataSession
  /** Undefined where nothing is asked of rows. */
  readonly query: DataQuery | undefined
}

/** A call on a table or function, before its query is read. Throws `invalid_parameter`, `schema_not_exposed`. */
export function openCall(
  { config }: Pick<DataApiDeps, 'config'>,
  call: DataCall,
  on: 'table' | 'function',
): DataContext & { readonly query: undefined } {
  refuseBadName('invalid_parameter', `The name of the ${on}`, call.name)
  const schema = chooseSchema(call, config.dbSchemas)
  return { call, schema, session: dataSession(call, schema, config.dbExtraSearchPath), query: undefined }
}

/**
 * The session of a call in `schema`; `public` is searched too, since extensions put their operators there, and then
 * `extraSearchPath`.
 */
export function dataSession(call: DataCall, schema: string, extraSearchPath: readonly string[]): DataSession {
  const searchPath = schema === 'public' ? [schema] : [schema, 'public']
  return callerSession(call, [...searchPath, ...extraSearchPath], call.timeoutMs)
}

/** The schema a call means: `Accept-Profile` on reads, `Content-Profile` on writes, else the first exposed one. */
export function chooseSchema(call: Pick<DataCall, 'method' | 'headers'>, schemas: readonly string[]): string {
  const isRead = call.method === 'GET' || call.method === 'HEAD' || call.method === 'OPTIONS'
  const asked = call.headers.get(isRead ? 'accept-profile' : 'content-profile')
  const schema = asked ?? schemas[0] ?? 'public'
  if (schemas.includes(schema)) return schema
  throw new DomainError('schema_not_exposed', `Invalid schema: ${schema.slice(0, 100)}`, {
    hint: `Only the following schemas are exposed: ${schemas.join(', ')}`,
  })
}
