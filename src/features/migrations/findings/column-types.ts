// What Postgres does to rows when a column gets a type or a default. Pure; what a function of the user's own does stays
// open.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { type Certainty, worseCertainty } from './table-effect.ts'
import { asList, asNode, namesOf, unwrap } from './tree.ts'

/** Types whose values no other type holds as the same bytes: a change to them copies the table. */
const OWN_BYTES = new Set(
  (
    'int2 int4 int8 smallint integer int bigint float4 float8 real date uuid json jsonb bool boolean bytea ' +
    'point macaddr'
  ).split(' '),
)
const SERIALS = new Set('serial serial2 serial4 serial8 bigserial smallserial'.split(' '))

const VOLATILE = new Set(
  (
    'random random_normal gen_random_uuid uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4 uuidv4 uuidv7 ' +
    'clock_timestamp timeofday nextval setval currval lastval gen_random_bytes gen_salt'
  ).split(' '),
)
const NOT_VOLATILE = new Set(
  (
    'now transaction_timestamp statement_timestamp current_setting timezone date_trunc date_part extract age ' +
    'make_date make_interval make_timestamp make_timestamptz to_char to_date to_timestamp to_number lower upper md5 ' +
    'concat format length trim btrim ltrim rtrim replace left right substr substring abs ceil floor round trunc ' +
    'to_json to_jsonb json_build_object jsonb_build_object json_build_array jsonb_build_array array_fill ' +
    'int4range int8range numrange tsrange tstzrange daterange txid_current pg_current_xact_id encode decode chr repeat'
  ).split(' '),
)

/** The name of a type as Postgres' own are written; undefined for one in another schema. */
function ownName(typeName: unknown): string | undefined {
  const names = namesOf(asNode(typeName)['names'])
  return names.length === 1 || names[0] === 'pg_catalog' ? names.at(-1) : undefined
}

/** SERIAL and its like have a default that differs from row to row. */
export function isSerial(typeName: unknown): boolean {
  return SERIALS.has(ownName(typeName) ?? '')
}

/** By the names of domains, without their schemas. */
export type Domains = Pick<ReadonlySet<string>, 'has'>

/** A new column: a domain's constraints, if it has any, are checked row by row. */
export function rewritesForType(typeName: unknown, domains: Domains): Certainty {
  const name = namesOf(asNode(typeName)['names']).at(-1) ?? ''
  // An array of a domain holds no domain: its null is checked by nothing.
  const isArray = asList(asNode(typeName)['arrayBounds']).length > 0
  return domains.has(name) && !isArray ? 'depends' : 'no'
}

/** ALTER COLUMN TYPE. Only the catalog knows the type now. */
export function rewritesForNewType(typeName: unknown, using: unknown): Certainty {
  const isOwn = OWN_BYTES.has(ownName(typeName) ?? '')
  const isArray = asList(asNode(typeName)['arrayBounds']).length > 0
  if (isOwn && !isArray) return 'yes'
  const { type } = unwrap(using)
  return using === undefined || type === 'ColumnRef' || type === 'TypeCast' ? 'depends' : 'yes'
}

/** ADD COLUMN with a default: one value for all rows is kept in the catalog, unless the expression is volatile. */
export function rewritesForDefault(expression: unknown): Certainty {
  let found: Certainty = 'no'
  // Without recursion: an expression may be as deep as the parser takes.
  const open = [expression]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null) continue
    for (const [name, field] of Object.entries(node)) {
      if (name === 'FuncCall') found = worseCertainty(found, isVolatile(asNode(field)))
      open.push(field)
    }
  }
  return found
}

function isVolatile(call: SyntaxNode): Certainty {
  const names = namesOf(call['funcname'])
  const name = names.at(-1) ?? ''
  if (VOLATILE.has(name)) return 'yes'
  const isPostgres = names.length === 1 || names[0] === 'pg_catalog'
  return isPostgres && NOT_VOLATILE.has(name) ? 'no' : 'depends'
}
