// What is wrong with a running platform, and what to do about it, as `GET /v1/status` says it. Pure.

import { type ConnectionRefusal, connectionRefusal } from '../../db/wire-failure.ts'
import type { StorageLeftovers } from '../storage/sweep/read-figures.ts'

/** How row changes get on, as far as the database can tell. */
export interface RowChangeFacts {
  /** Age of the change that has waited longest in the outbox, in seconds; null: none waits. */
  oldest_waiting_seconds: number | null
  listener_connected: boolean
  /** What tables lack for their changes to be recorded. */
  recording_failures: readonly { table_name: string; missing: string }[]
}

/** Changes leave the outbox within a second: those that wait longer than this wait for somebody, or are very many. */
export const WAITING_SECONDS_MAX = 60

export const DATABASE_DOWN =
  'The database does not answer within 2 s. Look at Postgres and the SQL gateway, and at the Worker’s log.'

export const TABLES_UNREADABLE =
  'Quoin’s own tables cannot be read as this version needs them. Run the migrations (npm run migrate); the log has ' +
  'the cause.'

export const DATA_DOWN =
  'Callers’ data cannot be reached within 2 s: /v1/db and /v1/sql answer 503. Look at the role authenticator, at ' +
  'DATA_DATABASE_URL, and at the Worker’s log.'

export const ROLES_MISSING =
  'The role of DATA_DATABASE_URL may not act as anon and service_role: /v1/db and /v1/sql fail. Run the migrations ' +
  '(npm run migrate), and look at the Worker’s log.'

export const USER_ROLE_MISSING =
  'DATA_USER_ROLE is authenticated, and the role of DATA_DATABASE_URL may not act as it: calls of signed-in persons ' +
  'beside anon keys fail. Run npm run adopt -- supabase, or unset DATA_USER_ROLE.'

const REFUSALS: Record<ConnectionRefusal, string> = {
  login:
    'its login is refused. Look at the role and its password, and at the gateway’s GATEWAY_DATABASE_URLS',
  database: 'no database has that name',
  address:
    'Neon lets no connection in from where the Worker runs. Look at the addresses that its project allows',
  endpoint: 'Neon does not start the endpoint. Look in its console whether it is on, and at the quotas',
  connections: 'Postgres has no connection left. Look at max_connections, and at who holds them',
}

/** The sentence for a database that refuses connections; undefined where it does not say why. */
export function refusalProblem(variable: string, err: unknown): string | undefined {
  const refusal = connectionRefusal(err)
  return refusal && `${variable}: ${REFUSALS[refusal]}.`
}

export function migrationsProblem(missing: readonly string[]): string {
  return `The database lacks Quoin’s own ${missing.join(', ')}. Run npm run migrate -- --platform against it.`
}

/** One sentence or two for each problem; empty where all is well. */
export function rowChangeProblems(facts: RowChangeFacts): string[] {
  return [waitingProblem(facts), recordingProblem(facts)].filter(problem => problem !== undefined)
}

/** What the sweep of files cannot settle by itself. */
export function storageProblems({ halted, missing }: StorageLeftovers): string[] {
  const problems: string[] = []
  if (halted !== null)
    problems.push(
      `The sweep of files deletes nothing since ${halted.at}. ${halted.reason} Look whether the Worker has the right ` +
        'database and bucket, then let it go on: "Files" in docs/operate.md.',
    )
  if (missing.count > 0)
    problems.push(
      `${missing.count} rows of storage.objects have no file, such as ${missing.names[0]}. Upload them again, or ` +
        'delete the rows: "Files" in docs/operate.md.',
    )
  return problems
}

function waitingProblem({ oldest_waiting_seconds, listener_connected }: RowChangeFacts): string | undefined {
  if (oldest_waiting_seconds === null || oldest_waiting_seconds <= WAITING_SECONDS_MAX) return undefined
  const fact = `Row changes have waited for ${Math.round(oldest_waiting_seconds)} s and reach no webhook.`
  return listener_connected
    ? `${fact} A listener is connected: see its log and the Worker’s, unless a large backlog is just being sent.`
    : `${fact} No listener is connected: start it. Nothing is lost meanwhile.`
}

function recordingProblem({ recording_failures }: RowChangeFacts): string | undefined {
  if (recording_failures.length === 0) return undefined
  const tables = distinct(recording_failures.map(({ table_name }) => table_name)).join(', ')
  const missing = distinct(recording_failures.map(each => each.missing)).join(', ')
  return (
    `Changes of ${tables} cannot be recorded: ${missing} is missing, and writes there may fail. ` +
    'Triggers come back within a minute, or the Worker’s log says why not. Functions and rights are the migrations’.'
  )
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
