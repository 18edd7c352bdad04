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
  SpanCounts,
  SpanQuery,
  TotalCount,
} from '../src/features/metrics/request-metrics.ts'

const DAY_MINUTES = 1_440
/** The finest first. */
const SPANS = [
  { table: 'minutes', minutes: 1, keptMinutes: 2 * DAY_MINUTES },
  { table: 'hours', minutes: 60, keptMinutes: 400 * DAY_MINUTES },
] as const
const SAMPLES_KEPT_MS = 7 * DAY_MINUTES * 60_000
/** Those of strangers apart: a flood of them must not wash out what callers did. */
const SAMPLES_KEPT_MAX = { known: 100_000, stranger: 10_000 } as const
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
    duration_ms real not null, key_id text, is_stranger integer not null,
    primary key (at_ms, request_id)) without rowid;
  create index if not exists samples_by_request on samples (request_id);
  create index if not exists samples_by_caller on samples (is_stranger, at_ms);`

type SumsRow = Record<string, SqlStorageValue>

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
    for (const { atMs, requestId, route, status, durationMs, keyId, isStranger } of samples) {
      this.#sql.exec(
        'insert or ignore into samples values (?, ?, ?, ?, ?, ?, ?)',
        ...[atMs, requestId, route, status, durationMs, keyId, isStranger ? 1 : 0],
      )
    }
    const nowMs = Date.now()
    if (nowMs >= this.#clearAtMs) this.#clearOld(nowMs)
  }

  async readSpan({ from, to, stepSeconds }: SpanQuery): Promise<SpanCounts> {
    const { table, minutes } = stepSeconds % 3_600 === 0 ? SPANS[1] : SPANS[0]
    const seconds = minutes * 60
    const read = (group: string) =>
      this.#sql
        .exec<SumsRow>(
          `select ${group} as name, status / 100 as class, ${SUMMED} from ${table}
            where begins >= ? and begins < ? group by 1, 2 order by 1, 2`,
          ...[from / seconds, to / seconds],
        )
        .toArray()
    // Bound numbers are floating: what is divided is whole and ours.
    const step = Math.trunc(stepSeconds)
    const times = read(`begins * ${seconds} / ${step} * ${step}`)
    return {
      steps: times.map(row => ({ time: Number(row['name']), ...toClassCount(row) })),
      routes: read('route').map(row => ({ route: String(row['name']), ...toClassCount(row) })),
    }
  }

  async readTotals(): Promise<TotalCount[]> {
    const rows = this.#sql.exec<SumsRow>(`select route, status, ${SUMS.join(', ')} from totals`)
    return Array.from(rows, toTotal)
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
      isStranger: row.is_stranger === 1,
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
    for (const [isStranger, kept] of [SAMPLES_KEPT_MAX.known, SAMPLES_KEPT_MAX.stranger].entries()) {
      this.#sql.exec(
        `delete from samples where is_stranger = ${isStranger} and at_ms < (select at_ms from samples
          where is_stranger = ${isStranger} order by at_ms desc limit 1 offset ${kept})`,
      )
    }
  }
}

const bucketsOf = (row: SumsRow) => BUCKETS.map(name => Number(row[name]))

function toClassCount(row: SumsRow) {
  return { class: Number(row['class']), requests: Number(row['requests']), buckets: bucketsOf(row) }
}

function toTotal(row: SumsRow): TotalCount {
  return {
    route: String(row['route']),
    status: Number(row['status']),
    requests: Number(row['requests']),
    milliseconds: Number(row['milliseconds']),
    buckets: bucketsOf(row),
  }
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
