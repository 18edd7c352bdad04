// The types that `select=column::type` may name, as SQL. Pure.

import { quoteIdentifier } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'

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

/** Postgres' types of names in its catalog, and their arrays: a number cast to one tells what is called so. */
const CATALOG_NAMES =
  /^_*reg(?:class|collation|config|database|dictionary|namespace|oper|operator|proc|procedure|role|type)$/

/**
 * `cast(expression as type)`; a type that there is not is Postgres' error. Unquoted names fold to lower case, as in
 * SQL. Throws `invalid_select` for types of catalog names, and for `unknown`: casting to it is an internal error.
 */
export function castSql(expression: string, type: string): string {
  const [, base = '', brackets = ''] =
    /^(.*?)(\[\])?$/.exec(type.trim().toLowerCase().replace(/ +/g, ' ')) ?? []
  if (base === 'unknown' || CATALOG_NAMES.test(base)) {
    throw new DomainError('invalid_select', `select: no value can be cast to the type ${base}.`, {
      hint: 'Cast to text.',
    })
  }
  return `cast(${expression} as ${KEYWORD_TYPES.has(base) ? base : quoteIdentifier(base)}${brackets})`
}
