// The outer SELECT of every statement: all rows of "t" as one body, and the numbers and settings that become headers.
// Pure. Everything is in ONE row: `body, row_count, total_count, response_headers, response_status, updated_count`.
// Functions carry pg_catalog in their name, here and in every statement of ours: pg_catalog is searched first, but an
// overload in the schema of the call that fits the arguments better would win all the same.

import type { OutputFormat } from '../grammar/media-type.ts'

/** The rows as one text, printed by Postgres and never parsed by us. Rows are those of the relation called "t". */
export function bodySql({ kind, stripsNulls }: Pick<OutputFormat, 'kind' | 'stripsNulls'>): string {
  if (kind === 'none') return "''"
  if (kind === 'csv') return CSV_BODY
  if (kind === 'geojson') return GEOJSON_BODY
  // "t".* is the whole row even when a column is called t.
  const rows = stripsNulls
    ? `pg_catalog.json_strip_nulls(pg_catalog.json_agg("t".*))`
    : `pg_catalog.json_agg("t".*)`
  return kind === 'object' ? `coalesce(${rows}->0,'null')` : `coalesce(${rows},'[]')`
}

/** RFC 4180 quoting of a header name. */
const CSV_NAME = `case when "k" ~ '[",\\r\\n]' then '"'||pg_catalog.replace("k",'"','""')||'"' else "k" end`

/**
 * A row's text form, `(1,"a ""b""",)`, is CSV already but for its parentheses and for backslashes, which it doubles.
 * No rows give an empty header line, because only a row knows its columns.
 */
const CSV_BODY =
  `coalesce((select pg_catalog.string_agg(${CSV_NAME},',') ` +
  `from pg_catalog.json_object_keys((pg_catalog.array_agg(pg_catalog.row_to_json("t".*)))[1]) as "k"),'')` +
  `||E'\\n'||coalesce(pg_catalog.string_agg(pg_catalog.replace(` +
  `pg_catalog.substr("t".*::text,2,pg_catalog.length("t".*::text)-2),'\\\\','\\'),E'\\n'),'')`

/** Of PostGIS, wherever it is: the one function of ours that is not in pg_catalog. */
const GEOJSON_BODY =
  "pg_catalog.json_build_object('type','FeatureCollection','features'," +
  `coalesce(pg_catalog.json_agg(ST_AsGeoJSON("t".*)::json),'[]'))`

/** What a function or trigger of the user set for the response (`response.headers`, `response.status`). */
export const RESPONSE_SETTINGS =
  "nullif(pg_catalog.current_setting('response.headers',true),'')," +
  "nullif(pg_catalog.current_setting('response.status',true),'')"

/** Begins the text that a guard makes Postgres fail on; what follows is the guard's name, a colon and the row count. */
const GUARD_MARK = 'quoin:'

export type Guard = 'max_affected' | 'not_singular'

/**
 * A column that makes the whole statement fail, and with it every write in it, when `condition` over `counted` holds.
 * The failing cast needs no function of ours in the user's database.
 */
export function guardSql(guard: Guard, condition: string, counted = 'pg_catalog.count(*)'): string {
  return `case when ${condition} then (${markOf(guard)}||${counted}::text)::int end`
}

/**
 * The guard that failed and the rows it counted, if `err` is the failure of a guard of `sql`: a value that was sent may
 * have the text of one. Its quotes depend on the server's language.
 */
export function readGuardFailure(
  err: { code: string; message: string },
  sql: string,
): { guard: Guard; rowCount: number } | undefined {
  if (err.code !== '22P02') return undefined
  const match = /\Wquoin:(max_affected|not_singular):(\d+)\W*$/.exec(err.message)
  if (!match) return undefined
  const guard = match[1] === 'max_affected' ? 'max_affected' : 'not_singular'
  return sql.includes(markOf(guard)) ? { guard, rowCount: Number(match[2]) } : undefined
}

/** As a literal of SQL. */
function markOf(guard: Guard): string {
  return `'${GUARD_MARK}${guard}:'`
}
