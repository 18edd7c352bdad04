// What the storages of a WebhookFanout ask of SQLite, and how they read what it answers.

export type SqlValue = string | number | null

/** The part of `SqlStorage` that is used; tests bring node:sqlite under it. */
export interface SqlExec {
  exec(query: string, ...bindings: SqlValue[]): Iterable<Record<string, unknown>>
}

/** The first row; undefined without any. */
export function firstRow(
  sql: SqlExec,
  query: string,
  ...bindings: SqlValue[]
): Record<string, unknown> | undefined {
  for (const row of sql.exec(query, ...bindings)) return row
  return undefined
}

/**
 * A LIMIT as a part of the statement's text. Never bind one: SQLite plans a statement anew whenever its LIMIT has
 * been bound (`sqlite3VdbeSetVarmask`), which takes ten times as long as a query by an index.
 */
export function limitTo(rows: number): string {
  return `limit ${Math.trunc(rows)}`
}

export function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value)
}
