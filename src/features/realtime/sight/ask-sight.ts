// Puts the question of sight to Postgres, in one trip.

import { callerClaims } from '../../../db/caller-session.ts'
import type { DataDatabase, DataSession, KeyRole } from '../../../db/database.ts'
import type { Statement } from '../../../db/sql.ts'
import type { Seen, SightAnswer, SightQuestion, SightTable } from './sight-contract.ts'
import { selectableByUsers } from './user-columns-sql.ts'

export interface AskSightDeps {
  readonly data: Pick<DataDatabase, 'batch'>
  readonly config: { readonly dbExtraSearchPath: readonly string[] }
}

const USER_COLUMNS = `
  select coalesce(pg_catalog.json_object_agg(id, ${selectableByUsers('id::oid')}), '{}')
  from pg_catalog.unnest($1::bigint[]) id`

/** One table of the answer of `quoin.rows_in_sight`. */
interface AnsweredTable {
  readonly table: {
    readonly table_id: number
    readonly table_schema: string
    readonly table_name: string
    readonly columns: SightTable['columns']
    readonly fits: boolean
    readonly selectable: Readonly<Record<KeyRole, readonly string[]>>
    readonly claims_read: readonly string[]
  } | null
  readonly seen: readonly Seen[]
}

/**
 * Asks who may see which images, by the policies of now. Throws `PostgresError` where the question as a whole fails,
 * 57014 after `timeoutMs`, and `database_unavailable`. `share`: whose connections it takes, as `key/client`.
 */
export async function askSight(
  { data, config }: AskSightDeps,
  question: SightQuestion,
  { timeoutMs, share }: { timeoutMs: number; share: string },
): Promise<SightAnswer> {
  const session = sightSession(config, timeoutMs, share)
  const statement = { sql: 'select quoin.rows_in_sight($1::json)', params: [questionJson(question)] }
  const isOfUsers = question.asked.some(({ role }) => role === 'authenticated')
  const statements = isOfUsers ? [statement, userColumns(question)] : [statement]
  const [result, ofUsers] = await data.batch(session, statements, {
    prepared: true,
    readOnly: false,
    changesNothing: true,
  })
  const answered = JSON.parse(result?.rows[0]?.[0] ?? '[]') as readonly AnsweredTable[]
  // The answers of a table stand in the order in which the question names them.
  const left = new Map(question.tables.map(({ tableId }, i) => [tableId, (answered[i]?.seen ?? []).values()]))
  const selectable = JSON.parse(ofUsers?.rows[0]?.[0] ?? '{}') as Readonly<Record<string, readonly string[]>>
  return {
    tables: answered.map(({ table }) => table && tableOf(table, selectable[table.table_id] ?? [])),
    seen: question.asked.map(({ tableId }) => left.get(tableId)?.next().value ?? []),
  }
}

function userColumns({ tables }: SightQuestion): Statement {
  const ids = `{${tables.map(({ tableId }) => tableId).join(',')}}`
  return { sql: USER_COLUMNS, params: [ids] }
}

/** Whoever asks is nobody: the question names for whom it is asked. */
export function sightSession(
  { dbExtraSearchPath }: AskSightDeps['config'],
  timeoutMs: number,
  share: string,
): DataSession {
  return {
    role: 'anon',
    claims: callerClaims('anon', {}),
    share,
    requestId: 'realtime',
    searchPath: ['public', ...dbExtraSearchPath],
    timeoutMs,
    method: 'GET',
    path: '/realtime/v1/websocket',
    headers: '{}',
    cookies: '{}',
  }
}

/** Images go in as texts: what one of them holds must not make the question unreadable. */
function questionJson({ tables, asked }: SightQuestion): string {
  const byTable = Map.groupBy(asked, ({ tableId }) => tableId)
  const parts = tables.map(({ tableId, images }) => ({
    table_id: tableId,
    images,
    callers: byTable
      .get(tableId)
      ?.map(({ role, claims, filter }) => ({ role, claims, filter: filter?.sql, params: filter?.params })),
  }))
  return JSON.stringify(parts)
}

function tableOf(table: NonNullable<AnsweredTable['table']>, ofUsers: readonly string[]): SightTable {
  const { table_id, table_schema, table_name, columns, fits, selectable, claims_read } = table
  return {
    tableId: table_id,
    table_schema,
    table_name,
    columns,
    fits,
    selectable: { ...selectable, authenticated: ofUsers },
    claimsRead: claims_read,
  }
}
