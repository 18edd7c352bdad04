import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors.ts'
import { queryClient } from '../../../api/query-client.ts'
import { parseExactly } from '../../../parts/exact-json.ts'
import type { PlanAnswer } from './plan.ts'

export type SqlAnswer = Schema<'SqlResponse'>
/** The statements of a text, and what each would lose. */
export type SqlCheck = Schema<'SqlCheckResponse'>

export interface Bounds {
  rowLimit: number
  timeoutMs: number
}

/** `ms` is the time until the answer was here. */
export type Outcome =
  | { kind: 'rows'; answer: SqlAnswer; ms: number }
  | { kind: 'script'; results: readonly ScriptResult[]; ms: number }
  | { kind: 'plan'; plan: PlanAnswer; hasRun: boolean; ms: number }

export interface ScriptResult {
  sql: string
  answer: SqlAnswer
}

export type Way = 'run' | 'explain' | 'analyze'

/** On a line of its own, so that places in an error stay right. */
const PREFIXES: Readonly<Record<Way, string>> = {
  run: '',
  explain: 'explain (format json)\n',
  analyze: 'explain (analyze, buffers, format json)\n',
}

/** Lines that stand before the statement as it was typed. */
export function linesBefore(way: Way): number {
  return way === 'run' ? 0 : 1
}

/**
 * Asks the Worker what the text would lose. Undefined for what is no SQL: that cannot run, and is sent all the same, so
 * that the history has it with its mistake.
 */
export async function checkSql(text: string, signal: AbortSignal): Promise<SqlCheck | undefined> {
  try {
    return await answerOf(api.POST('/api/sql/check', { body: { sql: text }, signal }))
  } catch (err) {
    if (err instanceof ApiError && err.code === '42601') return undefined
    throw err
  }
}

/** One statement, run or explained. `analyze` runs it too: what it writes stays. */
export async function runSql(
  text: string,
  way: Way,
  { rowLimit, timeoutMs }: Bounds,
  signal: AbortSignal,
): Promise<Outcome> {
  const body = { sql: PREFIXES[way] + text, params: [], row_limit: rowLimit, timeout: timeoutMs }
  const { json, ms } = await timed(api.POST('/api/sql', { body, parseAs: 'text', signal }))
  // A plan is reckoned with.
  const answer = (way === 'run' ? parseExactly(json) : JSON.parse(json)) as SqlAnswer
  if (way === 'run') return { kind: 'rows', answer, ms }
  const plan = (answer.rows[0]?.['QUERY PLAN'] as PlanAnswer[] | undefined)?.[0]
  if (plan === undefined) throw new Error('Postgres returned no plan.')
  return { kind: 'plan', plan, hasRun: way === 'analyze', ms }
}

/** The statements that were checked, in one transaction. */
export async function runScript(
  statements: SqlCheck['statements'],
  { rowLimit, timeoutMs }: Bounds,
  signal: AbortSignal,
): Promise<Outcome> {
  const texts = statements.map(({ sql }) => ({ sql, params: [] }))
  const body = { statements: texts, row_limit: rowLimit, timeout: timeoutMs }
  const { json, ms } = await timed(api.POST('/api/sql/transaction', { body, parseAs: 'text', signal }))
  const { results } = parseExactly(json) as { results: SqlAnswer[] }
  return { kind: 'script', results: results.map((answer, i) => ({ sql: texts[i]?.sql ?? '', answer })), ms }
}

async function timed(call: Parameters<typeof answerOf<string>>[0]): Promise<{ json: string; ms: number }> {
  const begun = performance.now()
  const json = await answerOf(call).finally(
    () => void queryClient.invalidateQueries({ queryKey: ['database'] }),
  )
  return { json, ms: performance.now() - begun }
}

type AuditLog = Schema<'AuditLog'>

/** What this administrator has run, newest first: the audit log keeps it. */
export function historyQuery(actorId: string) {
  return queryOptions({
    queryKey: ['database', 'sql', 'history'],
    queryFn: async ({ signal }): Promise<AuditLog[]> => {
      const query = { target_kind: 'sql', actor_id: actorId, limit: 100 }
      return (await answerOf(api.GET('/api/audit-logs', { params: { query }, signal }))).data
    },
    staleTime: 0,
  })
}

/** The statement of a run, and in which way it was run; `isCut`: of a long one the log keeps the beginning. */
export function textOf({ before }: AuditLog): { text: string; way: Way; isCut: boolean } {
  const { sql = '', sql_bytes: bytes } = (before ?? {}) as { sql?: string; sql_bytes?: number }
  const way = sql.startsWith(PREFIXES.explain)
    ? 'explain'
    : sql.startsWith(PREFIXES.analyze)
      ? 'analyze'
      : 'run'
  return { text: sql.slice(PREFIXES[way].length), way, isCut: bytes !== undefined }
}
