// The one object that keeps what isolates tell of their requests: counts and durations by minute and by hour, totals
// since it exists, and samples of single requests. Sums alone: what follows from them is in features/metrics.

import { DurableObject } from 'cloudflare:workers'
import {
  DURATION_BOUNDS_MS,
  type FinishedRequest,
  type RequestBatch,
  type RequestCount,
} from '../src/features/metrics/request-batch.ts'
import type {
  RequestMetrics as Metrics,
  SampleQuery,
  StepCount,
  StepQuery,
  TotalCount,
} from '../src/features/metrics/request-metrics.ts'

const DAY_MINUTES = 1_440
/** The finest first. */
const SPANS = [
  { table: 'minutes', minutes: 1, keptMinutes: 2 * DAY_MINUTES },
  { table: 'hours', minutes: 60, keptMinutes: 400 * DAY_MINUTES },
] as const
const SAMPLES_KEPT_MS = 7 * DAY_MINUTES * 60_000
const SAMPLES_KEPT_MAX = 100_000
const CLEAR_EVERY_MS = 60_000

const BUCKETS = Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, i) => `b${i}`)
const SUMS = ['requests', 'milliseconds', ...BUCKETS]
const COLUMNS = SUMS.map(name => `${name} real not null`).join(', ')
const MARKS = SUMS.map(() => '?').join(', ')
const ADDED = SUMS.map(name => `${name} = ${name} + excluded.${name}`).join(', ')
const SUMMED = SUMS.map(name => `sum(${name}) as ${name}`).join(', ')

const TABLES = `
  ${SPANS.map(
    ({ table }) => `create table if not exists ${table} (
      begins integer not null, route text not null, status integer not null, ${COLUMNS},
      primary key (begins, route, status)) without rowid;`,
  ).join('\n')}
  create table if not exists totals (
    route text not null, status integer not null, ${COLUMNS}, primary key (route, status)) without rowid;
  create table if not exists samples (
    at_ms integer not null, request_id text not null, route text not null, status integer not null,
    duration_ms real not null, key_id text, primary key (at_ms, request_id)) without rowid;
  create index if not exists samples_by_request on samples (request_id);`

type SumsRow = Record<string, SqlStorageValue> & {
  route: string
  status: number
  requests: number
  milliseconds: number
}

export class RequestMetrics extends DurableObject implements Metrics {
  readonly #sql: SqlStorage
  #clearAtMs = 0

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never)
    this.#sql = ctx.storage.sql
    this.#sql.exec(TABLES)
  }

  async add({ counts, samples }: RequestBatch): Promise<void> {
    for (const count of counts) this.#addCount(count)
    for (const { atMs, requestId, route, status, durationMs, keyId } of samples) {
      this.#sql.exec(
        'insert or ignore into samples values (?, ?, ?, ?, ?, ?)',
        ...[atMs, requestId, route, status, durationMs, keyId],
      )
    }
    const nowMs = Date.now()
    if (nowMs >= this.#clearAtMs) this.#clearOld(nowMs)
  }

  async readSteps({ from, to, stepSeconds }: StepQuery): Promise<StepCount[]> {
    const { table, minutes } = stepSeconds % 3_600 === 0 ? SPANS[1] : SPANS[0]
    const seconds = minutes * 60
    // Bound numbers are floating: what is divided is whole and ours.
    const step = Math.trunc(stepSeconds)
    const rows = this.#sql.exec<SumsRow>(
      `select begins * ${seconds} / ${step} * ${step} as time, route, status, ${SUMMED} from ${table}
        where begins >= ? and begins < ? group by 1, route, status order by 1`,
      ...[from / seconds, to / seconds],
    )
    return Array.from(rows, row => ({ time: Number(row.time), ...toSums(row) }))
  }

  async readTotals(): Promise<TotalCount[]> {
    const rows = this.#sql.exec<SumsRow>(`select route, status, ${SUMS.join(', ')} from totals`)
    return Array.from(rows, toSums)
  }

  async readSamples(query: SampleQuery): Promise<FinishedRequest[]> {
    const { sql, values } = samplesQuery(query)
    return Array.from(this.#sql.exec(sql, ...values), row => ({
      atMs: Number(row.at_ms),
      requestId: String(row.request_id),
      route: String(row.route),
      status: Number(row.status),
      durationMs: Number(row.duration_ms),
      keyId: row.key_id === null ? null : String(row.key_id),
    }))
  }

  #addCount({ minute, route, status, requests, milliseconds, buckets }: RequestCount): void {
    const sums = [requests, milliseconds, ...buckets]
    for (const { table, minutes } of SPANS) {
      this.#sql.exec(
        `insert into ${table} values (?, ?, ?, ${MARKS}) on conflict do update set ${ADDED}`,
        ...[Math.floor(minute / minutes), route, status, ...sums],
      )
    }
    this.#sql.exec(
      `insert into totals values (?, ?, ${MARKS}) on conflict do update set ${ADDED}`,
      ...[route, status, ...sums],
    )
  }

  #clearOld(nowMs: number): void {
    this.#clearAtMs = nowMs + CLEAR_EVERY_MS
    const minute = Math.floor(nowMs / 60_000)
    for (const { table, minutes, keptMinutes } of SPANS)
      this.#sql.exec(`delete from ${table} where begins < ?`, Math.floor((minute - keptMinutes) / minutes))
    this.#sql.exec('delete from samples where at_ms < ?', nowMs - SAMPLES_KEPT_MS)
    this.#sql.exec(
      'delete from samples where at_ms < (select at_ms from samples order by at_ms desc limit 1 offset ?)',
      SAMPLES_KEPT_MAX,
    )
  }
}

function toSums(row: SumsRow): TotalCount {
  const { route, status, requests, milliseconds } = row
  return { route, status, requests, milliseconds, buckets: BUCKETS.map(name => Number(row[name])) }
}

function samplesQuery(query: SampleQuery): { sql: string; values: (string | number)[] } {
  const { requestId, route, statusMin, statusMax, keyId, fromMs, toMs, before, limit } = query
  const conditions: string[] = []
  const values: (string | number)[] = []
  const where = (condition: string, ...given: (string | number | undefined)[]) => {
    const present = given.filter(value => value !== undefined)
    if (present.length === 0) return
    conditions.push(condition)
    values.push(...present)
  }
  where('request_id = ?', requestId)
  where("(route = ? or substr(route, instr(route, ' ') + 1) = ?)", route, route)
  where('status >= ?', statusMin)
  where('status <= ?', statusMax)
  where('key_id = ?', keyId)
  where('at_ms >= ?', fromMs)
  where('at_ms < ?', toMs)
  where('(at_ms, request_id) < (?, ?)', before?.atMs, before?.requestId)
  const filter = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const sql = `select * from samples ${filter} order by at_ms desc, request_id desc limit ?`
  return { sql, values: [...values, limit] }
}
