// The engine's statements in the database, as the caller: with what policies may know of the call.

import { callerSession } from '../../db/caller-session.ts'
import type { DataDatabase, PlatformDatabase } from '../../db/database.ts'
import type { Statement } from '../../db/sql.ts'
import type { StatementResult } from '../../db/sql-wire.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { StorageCall } from './storage-call.ts'

/** What the engine stands on. */
export interface StorageDeps {
  readonly data: Pick<DataDatabase, 'batch'>
  readonly platform: Pick<PlatformDatabase, 'query' | 'texts'>
  readonly blobs: BlobStore
  /** What the isolate remembers of files that are served without a caller. */
  readonly publicRows: { forget(): void }
  readonly config: {
    readonly dbExtraSearchPath: readonly string[]
    readonly storageUploadMaxBytes: number
    readonly storageObjectMaxBytes: number
  }
}

/** What a statement as the caller needs of it. */
export type CallerDeps = Pick<StorageDeps, 'data' | 'config' | 'publicRows'>

const SETTINGS_SQL =
  "select pg_catalog.set_config('storage.operation',$1,true),pg_catalog.set_config('storage.claim',$2,true)," +
  "pg_catalog.set_config('storage.object_id','',true)"

/** Runs the statements as the caller in one transaction and one trip; answers the results of them alone. */
export async function asCaller(
  deps: CallerDeps,
  call: StorageCall,
  statements: readonly Statement[],
  { readOnly = false, claimId = '' } = {},
): Promise<StatementResult[]> {
  const session = callerSession(call, ['public', ...deps.config.dbExtraSearchPath], call.timeoutMs)
  const settings = { sql: SETTINGS_SQL, params: [call.operation, claimId] }
  // What is prepared for a role is kept for that role.
  const own = statements.map(({ sql, params }) => ({ sql: `${sql}/*${call.role}*/`, params }))
  const results = await deps.data.batch(session, [settings, ...own], { prepared: true, readOnly })
  if (!readOnly) deps.publicRows.forget()
  return results.slice(1)
}

const SAVEPOINT: Statement = { sql: 'savepoint quoin_probe', params: [] }
const ROLL_BACK: Statement = { sql: 'rollback to savepoint quoin_probe', params: [] }

/** Asks policies what they would say: the change is made as the caller, and taken back. Answers its result. */
export async function probeAsCaller(
  deps: CallerDeps,
  call: StorageCall,
  statement: Statement,
  claimId: string,
): Promise<StatementResult | undefined> {
  return (await asCaller(deps, call, [SAVEPOINT, statement, ROLL_BACK], { claimId }))[1]
}

/** As `asCaller`, for one statement whose rows are JSON texts of their first column. */
export async function rowsAsCaller<Row>(
  deps: CallerDeps,
  call: StorageCall,
  statement: Statement,
  options: { readOnly?: boolean } = {},
): Promise<Row[]> {
  const [result] = await asCaller(deps, call, [statement], options)
  return (result?.rows ?? []).map(([json]) => JSON.parse(json ?? 'null') as Row)
}
