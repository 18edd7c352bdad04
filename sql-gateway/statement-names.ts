/**
 * Owns which SQL texts are prepared by name on one connection, at most 50, the least recently used closed first: the
 * look for replaced names, at the end of each batch, costs Postgres a microsecond for each.
 * Must not talk to Postgres: a name counts as known only once the batch reports that Postgres confirmed it.
 */
import type { RowFields } from './row-fields.ts'

const NAMES_MAX = 50

/** One prepared statement of one connection. */
export interface StatementName {
  readonly sql: string
  readonly name: string
  /** True once Postgres confirmed the Parse. */
  isParsed: boolean
  /** Set once Postgres described the result. */
  fields: RowFields | undefined
  lastUsed: number
}

export class StatementNames {
  readonly #bySql = new Map<string, StatementName>()
  #discarded: string[] = []
  #unnamed: string | undefined
  #clock = 0
  #batchStart = 0
  #serial = 0

  get size(): number {
    return this.#bySql.size
  }

  /** Begins a batch, whose names are not closed before it ends. Answers those that it is to close first. */
  beginBatch(): readonly string[] {
    this.#batchStart = ++this.#clock
    const discarded = this.#discarded
    this.#discarded = []
    return discarded
  }

  find(sql: string): StatementName | undefined {
    const known = this.#bySql.get(sql)
    if (known !== undefined) known.lastUsed = ++this.#clock
    return known
  }

  /** A new name for this text, and the one to close for it; undefined when the batch itself uses all of them. */
  add(sql: string): { added: StatementName; closed: StatementName | undefined } | undefined {
    const closed = this.#bySql.size >= NAMES_MAX ? this.#leastRecentlyUsed() : undefined
    if (closed !== undefined && closed.lastUsed > this.#batchStart) return undefined
    if (closed !== undefined) this.#bySql.delete(closed.sql)
    const added = {
      sql,
      name: `q${++this.#serial}`,
      isParsed: false,
      fields: undefined,
      lastUsed: ++this.#clock,
    }
    this.#bySql.set(sql, added)
    return { added, closed }
  }

  /** Takes the place without a name for this text; true when the text has it already and needs no Parse. */
  takeUnnamed(sql: string): boolean {
    const isParsed = this.#unnamed === sql
    this.#unnamed = sql
    return isParsed
  }

  /** The next text without a name needs a Parse, whichever it is. */
  forgetUnnamed(): void {
    this.#unnamed = undefined
  }

  /** Forgets a name whose Parse was never confirmed. */
  forget(statement: StatementName): void {
    if (this.#bySql.get(statement.sql) === statement) this.#bySql.delete(statement.sql)
  }

  /** Forgets a name that Postgres has; the next batch closes it. */
  discard(statement: StatementName): void {
    if (this.#bySql.get(statement.sql) !== statement) return
    this.#bySql.delete(statement.sql)
    this.#discarded.push(statement.name)
  }

  clear(): void {
    this.#discarded = []
    this.#bySql.clear()
    this.#unnamed = undefined
  }

  #leastRecentlyUsed(): StatementName | undefined {
    let oldest: StatementName | undefined
    for (const statement of this.#bySql.values()) {
      if (oldest === undefined || statement.lastUsed < oldest.lastUsed) oldest = statement
    }
    return oldest
  }
}
