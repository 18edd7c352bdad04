// What a WebhookFanout has to tell Postgres and has not yet: attempts, dead letters, dead letters that were delivered.

import { firstRow, limitTo, type SqlExec, textOrNull } from './sql-rows.ts'

/** Something that Postgres is to be told. `record` is JSON text. */
export interface Report {
  sequence: number
  kind: ReportKind
  record: string
  payload: string | null
}

/** An attempt for the log, an event that was given up, or a dead letter that was delivered after all. */
export type ReportKind = 'delivery' | 'dead_letter' | 'resolved'

const TABLE = `create table if not exists reports (
  sequence integer primary key autoincrement, kind text not null, record text not null, payload text)`

export class ReportStorage {
  readonly #sql: SqlExec

  constructor(sql: SqlExec) {
    this.#sql = sql
    sql.exec(TABLE)
  }

  add(kind: ReportKind, record: object, payload: string | null): void {
    const sql = 'insert into reports (kind, record, payload) values (?, ?, ?)'
    this.#sql.exec(sql, kind, JSON.stringify(record), payload)
  }

  /** As `add`, with the body of an event that is kept whole, copied where it lies. Nothing when the event is gone. */
  addOfEvent(kind: ReportKind, record: object, position: string): void {
    const sql =
      'insert into reports (kind, record, payload) select ?, ?, payload from events where position = ?'
    this.#sql.exec(sql, kind, JSON.stringify(record), position)
  }

  /** The sequence of the newest; 0: there is none. */
  lastSequence(): number {
    return Number(firstRow(this.#sql, 'select max(sequence) as last from reports')?.['last'] ?? 0)
  }

  /**
   * The oldest up to the sequence `last`, at most `limit` and about `charactersMax`, at least one where there is any.
   */
  batch(last: number, limit: number, charactersMax: number): Report[] {
    const rows = this.#sql.exec(
      `select sequence, kind, record, payload from (
        select *, sum(size) over (order by sequence) - size as before from (
          select *, length(record) + coalesce(length(payload), 0) as size
            from reports where sequence <= ? order by sequence ${limitTo(limit)}))
        where before < ? order by sequence`,
      last,
      charactersMax,
    )
    return Array.from(rows, row => ({
      sequence: Number(row['sequence']),
      kind: String(row['kind']) as ReportKind,
      record: String(row['record']),
      payload: textOrNull(row['payload']),
    }))
  }

  /** The dead letters that wait to be written down as delivered. */
  resolved(): string[] {
    const rows = this.#sql.exec("select record from reports where kind = 'resolved'")
    return Array.from(rows, row => (JSON.parse(String(row['record'])) as { id: string }).id)
  }

  hasAny(): boolean {
    return firstRow(this.#sql, 'select 1 from reports limit 1') !== undefined
  }

  has(kind: ReportKind): boolean {
    return firstRow(this.#sql, 'select 1 from reports where kind = ? limit 1', kind) !== undefined
  }

  /** Answers how many of them were still there. */
  drop(reports: readonly Report[]): number {
    const list = JSON.stringify(reports.map(report => report.sequence))
    const sql = 'delete from reports where sequence in (select value from json_each(?)) returning sequence'
    return Array.from(this.#sql.exec(sql, list)).length
  }

  /** The dead letter is written, whatever came of the answer. */
  dropLetter(id: string): void {
    this.#sql.exec("delete from reports where kind = 'dead_letter' and record ->> '$.id' = ?", id)
  }
}
