// What Postgres says when a statement fails, as an error of ours. Knows no HTTP and makes no hints:
// the status follows in `http/error-response.ts`, the hints in `features/tables/error-hints.ts`.

/** The fields of a Postgres error report that reach callers or steer us; names as the Neon wire has them. */
export interface PostgresErrorFields {
  message: string
  code: string
  detail?: string | null
  hint?: string | null
  position?: string | null
  schema?: string | null
  table?: string | null
  column?: string | null
  constraint?: string | null
  /** Zero-based index of the statement of the batch that failed; only our own gateway tells. */
  queryIndex?: number | null
}

/** A failed statement. `code` is the SQLSTATE; `detail` and `hint` are Postgres' own words, untouched. */
export class PostgresError extends Error {
  readonly code: string
  readonly detail: string | undefined
  hint: string | undefined
  readonly position: number | undefined
  readonly schema: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  readonly constraint: string | undefined
  queryIndex: number | undefined

  constructor(fields: PostgresErrorFields) {
    super(fields.message)
    this.name = 'PostgresError'
    this.code = fields.code
    this.detail = fields.detail ?? undefined
    this.hint = fields.hint ?? undefined
    this.position = fields.position ? Number(fields.position) : undefined
    this.schema = fields.schema ?? undefined
    this.table = fields.table ?? undefined
    this.column = fields.column ?? undefined
    this.constraint = fields.constraint ?? undefined
    this.queryIndex = fields.queryIndex ?? undefined
  }
}
