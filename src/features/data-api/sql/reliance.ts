// How a text says what it relies on, so that it fails where that is not so any more: with `isOutdated`, before any row
// is read. Pure. A statement that is prepared keeps the types of its parameters, and the catalog is remembered, while
// anybody may change the schema at any time.
//
// Types cost nothing. Postgres takes `true or ...` out of the plan, but not before it has looked for a function that
// takes both types, and array_eq takes two arrays of exactly one.

import {
  type Parameters,
  type QualifiedName,
  quoteIdentifier,
  quoteQualified,
  type Statement,
} from '../../../db/sql.ts'
import { writeArrayLiteral } from '../../../lib/array-literal.ts'
import type { Column, DatabaseFunction } from '../catalog/catalog-types.ts'
import type { RootLevel } from '../plan/level.ts'

/**
 * A condition that holds. Parse gives the parameter, which is always null, the type that `expression` has then, as it
 * does with the parameters that `expression` is compared with. They keep that type as long as the text stays prepared:
 * of a column that has another one since, they would read their values wrongly. Where this is so the text fails with
 * 42883, and the gateway parses it anew.
 */
export function sameTypeAsParsed(expression: string, params: Parameters): string {
  return proof(`array[${expression}]`, params.add(null))
}

/**
 * `expression`, in a text that was made for its `type`, as `format_type` prints it; the text fails with 42883 where the
 * type is another. An index on the expression still fits.
 */
export function ofType(expression: string, type: string): string {
  return `case when ${isOfType(expression, type)} then ${expression} end`
}

/** Conditions that hold, in a text that was made for the types of these columns and reads no row of the table. */
export function haveTypes(table: QualifiedName, columns: readonly Pick<Column, 'name' | 'type'>[]): string[] {
  const row = `(null::${quoteQualified(table)})`
  return columns.map(({ name, type }) => isOfType(`${row}.${quoteIdentifier(name)}`, type))
}

/** `expression`, in a text that was made for a table with a column of this name; without it the text fails. */
export function columnOf(table: QualifiedName, name: string, expression: string): string {
  // Only with its table in front is a name that of a function, too.
  const proof = `exists (select ${quoteIdentifier(name)} from ${quoteQualified(table)} "quoin_table")`
  // Beside the null of a missing ELSE a domain would become the type under it.
  return `case when true or ${proof} then ${expression} else ${expression} end`
}

/** A condition that holds, in a text made for the `type` of `expression`; the text fails where it is another. */
export function isOfType(expression: string, type: string): string {
  const isArray = type.endsWith('[]')
  return isArray ? proof(expression, `null::${type}`) : proof(`array[${expression}]`, `null::${type}[]`)
}

const PROOF = 'pg_catalog.array_eq('

function proof(array: string, other: string): string {
  return `(true or ${PROOF}${array},${other}))`
}

/** Begins the text that Postgres fails on where what a text relies on is found to be otherwise. */
const OUTDATED_MARK = 'quoin:outdated:'

/**
 * A condition that holds as long as `actual`, a text over the one row of `from`, is `expected`; else the statement
 * fails before any row is read. It is for what only the catalog's rows say, and is asked once a statement.
 */
function isStill(actual: string, from: string, expected: string): string {
  const failure = `('${OUTDATED_MARK}'||${actual})::pg_catalog.bool`
  return `(select case when ${actual}=${expected} then true else ${failure} end ${from})`
}

/** Holds as long as the table, which must be no view, has this primary key. */
export function hasPrimaryKey(table: QualifiedName, key: readonly string[], params: Parameters): string {
  const actual =
    'coalesce(pg_catalog.array_agg("a"."attname"::pg_catalog.text order by "k"."place"),' +
    "'{}')::pg_catalog.text"
  const from =
    'from pg_catalog.pg_constraint "c" ' +
    'cross join lateral pg_catalog.unnest("c"."conkey") with ordinality "k"("attnum","place") ' +
    'join pg_catalog.pg_attribute "a" on "a"."attrelid"="c"."conrelid" and "a"."attnum"="k"."attnum" ' +
    `where "c"."contype"='p' and "c"."conrelid"=${params.add(quoteQualified(table))}::pg_catalog.regclass::oid`
  return isStill(actual, from, `${params.add(writeArrayLiteral(key))}::pg_catalog.text[]::pg_catalog.text`)
}

/** Holds as long as a name has these overloads, unchanged, and the types of `target` still go by their names. */
export function hasOverloads(
  target: DatabaseFunction,
  overloads: readonly DatabaseFunction[],
  params: Parameters,
): string {
  const types = target.arguments.map(({ type }) => type).join(',')
  const signature = params.add(`${quoteQualified(target)}(${types})`)
  const versions =
    `pg_catalog.string_agg(','||"p"."oid"::pg_catalog.text||' '||"p"."xmin"::pg_catalog.text,'' ` +
    'order by "p"."oid")'
  const actual = `${signature}::pg_catalog.regprocedure::oid::pg_catalog.text||coalesce(${versions},'')`
  const from =
    `from pg_catalog.pg_proc "p" where "p"."proname"=${params.add(target.name)}::pg_catalog.name ` +
    `and "p"."pronamespace"=${params.add(quoteIdentifier(target.schema))}::pg_catalog.regnamespace::oid ` +
    `and "p"."prokind"='f' and "p"."prorettype"<>'pg_catalog.trigger'::pg_catalog.regtype::oid`
  const [oid = ''] = target.version.split(' ')
  const expected = params.add([oid, ...overloads.map(({ version }) => version)].join(','))
  return isStill(actual, from, `${expected}::pg_catalog.text`)
}

/** Hold as long as the relationships between the levels of a tree are made of what they were made of. */
export function relianceSql({ reliesOn }: RootLevel, params: Parameters): string[] {
  if (reliesOn === undefined) return []
  const { tableOids, keysVersion, views, relationshipFunctions } = reliesOn
  const isOneOf = (oids: readonly string[]) =>
    `=any(${params.add(writeArrayLiteral(oids))}::pg_catalog.oid[])`
  const keys = () => {
    const where = `where "o"."contype"='f' and "o"."conparentid"=0 and "o"."conrelid"${isOneOf(tableOids)}`
    return haveVersions('pg_constraint', where, keysVersion, params)
  }
  const shown = () => {
    const where = `where "o"."rulename"='_RETURN' and "o"."ev_class"${isOneOf(views.map(({ oid }) => oid))}`
    return haveVersions('pg_rewrite', where, joined(views), params)
  }
  const called = () => {
    const oids = relationshipFunctions.map(({ version }) => version.split(' ')[0] ?? '')
    return haveVersions('pg_proc', `where "o"."oid"${isOneOf(oids)}`, joined(relationshipFunctions), params)
  }
  return [
    ...(tableOids.length > 0 ? [keys()] : []),
    ...(views.length > 0 ? [shown()] : []),
    ...(relationshipFunctions.length > 0 ? [called()] : []),
  ]
}

/** Versions as they are listed below: by oid, which each begins with. */
export function joined(objects: readonly { version: string }[]): string {
  const byOid = (a: string, b: string) => Number.parseInt(a, 10) - Number.parseInt(b, 10)
  return objects
    .map(({ version }) => version)
    .sort(byOid)
    .join(',')
}

function haveVersions(catalog: string, where: string, expected: string, params: Parameters): string {
  const version = '"o"."oid"::pg_catalog.text||\' \'||"o"."xmin"::pg_catalog.text'
  const actual = `coalesce(pg_catalog.string_agg(${version},',' order by "o"."oid"),'')`
  return isStill(
    actual,
    `from pg_catalog.${catalog} "o" ${where}`,
    `${params.add(expected)}::pg_catalog.text`,
  )
}

/**
 * True for the failure of this statement because what it relies on is not so any more. A value that was sent may have
 * the same text in it.
 */
export function isOutdated(err: { code: string; message: string }, { sql, params }: Statement): boolean {
  const { code, message } = err
  if (code === '42883') return message.includes(PROOF) && sql.includes(PROOF)
  if (code !== '22P02' || !message.includes(OUTDATED_MARK) || !sql.includes(`'${OUTDATED_MARK}'`))
    return false
  return !params.some(value => typeof value === 'string' && value.includes(OUTDATED_MARK))
}
