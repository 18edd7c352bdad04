// Which dead letters a WebhookFanout has still to take back: ranges of them, whatever their number.

import type { LetterPlace, LetterRange } from '../../src/features/webhooks/delivery/replayable-letters.ts'
import { firstRow, type SqlExec } from './sql-rows.ts'

/** A range that was asked for; `number` grows with each. */
export interface OwedRange extends LetterRange {
  number: number
}

const TABLE = `create table if not exists failed_replays (
  number integer primary key, after_at text not null, after_id text not null, until text not null)`

export class FailedReplayStorage {
  readonly #sql: SqlExec

  constructor(sql: SqlExec) {
    this.#sql = sql
    sql.exec(TABLE)
  }

  add({ after, until }: LetterRange): void {
    const sql = 'insert into failed_replays (after_at, after_id, until) values (?, ?, ?)'
    this.#sql.exec(sql, after.created_at, after.id, until)
  }

  /** What is owed, in the order in which it was asked for. */
  all(): OwedRange[] {
    return Array.from(this.#sql.exec('select * from failed_replays order by number'), row => ({
      number: Number(row['number']),
      after: { created_at: String(row['after_at']), id: String(row['after_id']) },
      until: String(row['until']),
    }))
  }

  hasAny(): boolean {
    return firstRow(this.#sql, 'select 1 from failed_replays limit 1') !== undefined
  }

  /** The range is taken back up to there. */
  advance(number: number, to: LetterPlace): void {
    const sql = 'update failed_replays set after_at = ?, after_id = ? where number = ?'
    this.#sql.exec(sql, to.created_at, to.id, number)
  }

  drop(number: number): void {
    this.#sql.exec('delete from failed_replays where number = ?', number)
  }
}
