// Bodies that are too large for one row of SQLite, in pieces.

import type { PayloadPiece } from '../src/features/webhooks/delivery/fanout-contract.ts'
import { firstRow, type SqlExec } from './sql-rows.ts'

const TABLE = `create table if not exists pieces (
  position integer, number integer, text text not null, stored_at_ms integer not null,
  primary key (position, number)) without rowid`

export class PieceStorage {
  readonly #sql: SqlExec

  constructor(sql: SqlExec) {
    this.#sql = sql
    sql.exec(TABLE)
  }

  /** Safe to repeat. */
  put({ position, number, text }: PayloadPiece, nowMs: number): void {
    this.#sql.exec('insert or replace into pieces values (?, ?, ?, ?)', position, number, text, nowMs)
  }

  /** The parts of an event's body, one at a time. */
  *of(position: number): Generator<string> {
    const sql = 'select text from pieces where position = ? and number = ?'
    for (let number = 0; ; number++) {
      const piece = firstRow(this.#sql, sql, position, number)
      if (piece === undefined) return
      yield String(piece['text'])
    }
  }

  drop(position: number): void {
    this.#sql.exec('delete from pieces where position = ?', position)
  }

  /** Forgets those from before `beforeMs` that no event has. */
  dropOrphans(beforeMs: number): void {
    this.#sql.exec(
      'delete from pieces where stored_at_ms < ? and position not in (select position from events)',
      beforeMs,
    )
  }
}
