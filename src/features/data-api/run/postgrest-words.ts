// PostgREST's words for what Postgres, or a verb, says of tables and columns. Pure.

import type { PostgresError } from '../../../db/postgres-error.ts'
import type { PostgrestWords } from '../../../errors.ts'
import { similarName } from '../../../lib/similar-name.ts'

/** How alike a name must be to be told: PostgREST's bound for tables and functions. */
const TABLE_SCORE_MIN = 0.75

interface Named {
  readonly schema: string
  readonly name: string
}

/** PGRST205; `names` are those that the caller may be told. */
export function unknownTable({ schema, name }: Named, names: readonly string[]): PostgrestWords {
  const near = similarName(
    name,
    names.filter(other => other !== name),
    TABLE_SCORE_MIN,
  )
  return {
    code: 'PGRST205',
    message: `Could not find the table '${schema}.${name}' in the schema cache`,
    details: null,
    hint: near === undefined ? null : `Perhaps you meant the table '${schema}.${near}'`,
  }
}

/** PGRST204 where `err` is about a column of the table that rows of a body name; PostgREST looks before it writes. */
export function unknownColumn({ code, message }: PostgresError, table: string): PostgrestWords | undefined {
  if (code !== '42703') return undefined
  const [, column, relation] = /^column "?(.+?)"? of relation "(.+)" does not exist$/.exec(message) ?? []
  if (column === undefined || relation !== table) return undefined
  return {
    code: 'PGRST204',
    message: `Could not find the '${column}' column of '${table}' in the schema cache`,
    details: null,
    hint: null,
  }
}
