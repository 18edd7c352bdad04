// The types that `select=column::type` may name, as SQL. Pure.

import { quoteIdentifier } from '../../db/sql.ts'

/** Names that are grammar of SQL and no rows of pg_type: these alone go into SQL text unquoted. */
const KEYWORD_TYPES: ReadonlySet<string> = new Set([
  'int',
  'integer',
  'smallint',
  'bigint',
  'real',
  'float',
  'decimal',
  'dec',
  'numeric',
  'boolean',
  'char',
  'character',
  'varchar',
  'character varying',
  'bit',
  'bit varying',
  'double precision',
  'interval',
  'time',
  'time with time zone',
  'time without time zone',
  'timestamp',
  'timestamp with time zone',
  'timestamp without time zone',
])

/** `cast(expression as type)`; an unknown type is Postgres' error. Unquoted names fold to lower case, as in SQL. */
export function castSql(expression: string, type: string): string {
  const [, base = '', brackets = ''] =
    /^(.*?)(\[\])?$/.exec(type.trim().toLowerCase().replace(/ +/g, ' ')) ?? []
  return `cast(${expression} as ${KEYWORD_TYPES.has(base) ? base : quoteIdentifier(base)}${brackets})`
}
