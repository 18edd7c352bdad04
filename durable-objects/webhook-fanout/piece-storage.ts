// Bodies that are too large for one row of SQLite, in pieces. One is sent at a time: signing takes several times its
// memory.

import { firstRow, type SqlExec } from './sql-rows.ts'

const TABLE = `create table if not exists pieces (
  position text, number integer, text text not null, stored_at_ms integer not null,
  primary key (position, number)) without rowid`

export class PieceStorage {
  readonly #sql: SqlExec

  constructor(sql: SqlExec) {
    this.#sql = sql
    sql.exec(TABLE)
  }

  /** Safe to repeat. */
  put(position: string, number: number, text: string, nowMs: number): void {
    this.#sql.exec('insert or replace into pieces values (?, ?, ?, ?)', position, number, text, nowMs)
  }

  /** The parts of an event's body, one at a time. */
  *of(position: string): Generator<string> {
    const sql = 'select text from pieces where position = ? and number = ?'
    for (let number = 0; ; number++) {
      const piece = firstRow(this.#sql, sql, position, number)
      if (piece === undefined) return
      yield String(piece['text'])
    }
  }

  drop(position: string): void {
    this.#sql.exec('delete from pieces where position = ?', position)
  }

  hasAny(): boolean {
    return firstRow(this.#sql, 'select 1 from pieces limit 1') !== undefined
  }

  /** Forgets those from before `beforeMs` that no event has. */
  dropOrphans(beforeMs: number): void {
    this.#sql.exec(
      'delete from pieces where stored_at_ms < ? and position not in (select position from events)',
      beforeMs,
    )
  }
}
