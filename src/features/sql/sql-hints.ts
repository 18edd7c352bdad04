// What to do about a failed statement of the caller's own SQL. Where the advice is the same for every way to the data,
// it is that of `/v1/db`; here stands what differs, because here the caller writes SQL and not filters. Pure.

import { explainPostgresError } from '../../db/error-hints.ts'
import type { PostgresError } from '../../db/postgres-error.ts'

type Params = readonly (string | null)[]

const HINTS: Readonly<Record<string, string>> = {
  '22P02': 'Send a value that the type can hold, or NULL for none.',
  '23505': 'Change the value, or write INSERT ... ON CONFLICT.',
  '25001':
    'SQL over HTTP always runs inside a transaction. Run this statement on a direct connection to the database.',
  '25006': 'Leave the transaction READ WRITE, as it is by default.',
  '42501':
    'The SQL runs as service_role, which may use what it was granted and may not change what the owner ' +
    'made. The owner grants rights; migrations run as the owner.',
  '42703': 'Check the name of the column. One with capital letters must stand in double quotes.',
  '42804': 'Cast the value to the type that is wanted, as in $1::int.',
  '42883': 'Check the name and the types of the arguments; a parameter may need a type, as in $1::int.',
  '42P01': 'Check the name, and write the schema before it where it is not in the search path (DB_SCHEMAS).',
  '42P10': 'ON CONFLICT must name exactly the columns of a unique constraint or of the primary key.',
  '42P18': 'Say the type of the parameter in the SQL, as in $1::text.',
  '54000': 'Make the statement smaller.',
  '54001':
    'The statement is nested too deeply, or a value in it is. Write it flatter, or send less at a time.',
  '54011':
    'Select fewer columns: 1664 are the most of a result, 1600 of a table. Many values fit in one array or JSON.',
  '54023': 'Pass many values as one array, as in VARIADIC $1::int[].',
  '57014': 'Raise timeout (at most 30000 ms), filter on indexed columns, or read fewer rows.',
}

const ARRAY_AS_JSON_HINT =
  'An array in params becomes a Postgres array. For a json parameter send a string of JSON text, as in "[1, 2]".'

/** What to do; Postgres' own words where it has some, undefined where nobody knows better than the message. */
export function sqlHint(err: PostgresError, params: Params = []): string | undefined {
  // Postgres' own hint is to raise max_stack_depth, which no caller can.
  if (err.hint && err.code !== '54001') return err.hint
  const hasArray = params.some(value => value?.startsWith('{') && value.endsWith('}'))
  if (err.code === '22P02' && hasArray && /\bjsonb?\b/.test(err.message)) return ARRAY_AS_JSON_HINT
  return HINTS[err.code] ?? explainPostgresError(err, { role: 'service_role' }).hint
}
