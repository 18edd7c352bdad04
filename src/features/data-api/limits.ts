// The bounds of one data request. Everything a caller sends is counted against one of these before any SQL is made.

/** Rows that a read returns when the request does not say (spec, Limits). */
export const ROW_LIMIT_DEFAULT = 1_000
/** Most rows that a read returns (spec, Limits). */
export const ROW_LIMIT_MAX = 10_000
/** `and(...)` and `or(...)` nested deeper than this are refused. */
export const TREE_DEPTH_MAX = 10
/** Conditions of one request, those inside trees included. */
export const CONDITIONS_MAX = 200
/** Values in one `in.(...)`. */
export const LIST_VALUES_MAX = 5_000
/** Items of `select`, names of `columns` and keys of a row; Postgres itself stops at 1 600 columns. */
export const COLUMNS_MAX = 1_000
/** Relations that one request embeds. */
export const EMBEDS_MAX = 50
/** How deep relations are embedded in each other. */
export const EMBED_DEPTH_MAX = 10
/** How often relations are written into the SQL of one request: Postgres plans each time by itself. */
export const WRITTEN_LEVELS_MAX = 200
/** How often `select` shows one field of a relation: Postgres makes a value for each, whatever its size. */
export const SAME_FIELD_MAX = 10
/** Elements of a value of `cs`, `cd` and `ov`: Postgres compares each with each, and hears no cancel meanwhile. */
export const CONTAINED_ELEMENTS_MAX = 1_000
export const ORDER_TERMS_MAX = 50
export const JSON_PATH_STEPS_MAX = 50
/** Rows of a body: what an insert of them takes is still well within the statement's time. */
export const ROWS_MAX = 1_000_000
/**
 * Fields of a CSV body, the header's not counted: each costs the Worker and the way to Postgres more than its bytes.
 */
export const CSV_FIELDS_MAX = 2_500_000
/** Postgres cuts longer names off silently, and might then find another object than the one named. */
export const NAME_BYTES_MAX = 63
/** Largest body of an insert or update. */
export const ROWS_BODY_BYTES_MAX = 10 * 1024 * 1024
/** Largest form: it holds one row, and is a text several times until it is JSON. */
export const FORM_BYTES_MAX = 1024 * 1024
/** How long a call of the data API with a service_role key may take in the database. */
export const STATEMENT_TIMEOUT_MS = 10_000
