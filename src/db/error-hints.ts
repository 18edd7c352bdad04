// Makes Postgres' errors teach: what to do about the common SQLSTATEs, and the nearest name for one that is unknown.
// Pure. Code, message and detail stay as they are, and so does Postgres' hint, unless that names what the role may not
// use.

import { nearestName } from '../lib/nearest-name.ts'
import type { DatabaseRole } from './database.ts'
import type { PostgresError } from './postgres-error.ts'
import { quoteIdentifier } from './sql.ts'

/** What hints ask of a catalog: only what the role may know is named. */
interface KnownNames {
  /** Undefined where there is none of that name. */
  relation(schema: string, name: string): object | undefined
  functions(schema: string, name: string): readonly { readonly usableBy: readonly DatabaseRole[] }[]
  /** Of the relations in the schema that the role may use. */
  relationNames(schema: string, role: DatabaseRole): readonly string[]
  /** Of the columns that the role may use; none of a relation that is not known. */
  columnNames(schema: string, relation: string, role: DatabaseRole): readonly string[]
}

/** What is known about the failed statement; each part may be missing. */
export interface ErrorHintContext {
  /** Database role that the statement ran as. */
  readonly role: DatabaseRole
  readonly schema?: string
  /** The table or function of the request; none where the caller wrote the SQL. */
  readonly table?: string
  /** The rights on the table that the request needs, as GRANT writes them. */
  readonly privileges?: string
  /** The column that a filter of the request compares with the text "null". */
  readonly comparedWithNull?: string | undefined
  /** True when the request is an upsert, which reads the row that is there. */
  readonly isUpsert?: boolean
  /** False when the request does not want the rows back. */
  readonly readsBack?: boolean
  /** True when the request came with a key alone, so that a policy sees no user. */
  readonly isWithoutUser?: boolean
  /** True when the request calls a function, whose own statements may need any right. */
  readonly isCall?: boolean
  /** For nearest names; without it the hint names the place to look instead. */
  readonly catalog?: KnownNames | undefined
}

type Explain = (err: PostgresError, context: ErrorHintContext) => string | undefined

/** The same error with a hint that says what to do, unless Postgres gave one or the code is not known here. */
export function explainPostgresError(err: PostgresError, context: ErrorHintContext): PostgresError {
  if (err.code === '42703' && !mayTell(err.hint ?? '', context)) err.hint = undefined
  if (err.hint === undefined || err.hint === '') {
    err.hint = EXPLANATIONS[err.code]?.(err, context)
    err.isHintOurs = true
  }
  return err
}

/**
 * Postgres names the nearest column before it looks for rights. True when the role may know every name in quotes: it is
 * of the request's table and known to be the role's, or comes out of a function that the role may execute. The hint's
 * language does not matter.
 */
function mayTell(hint: string, { catalog, schema, table, role }: ErrorHintContext): boolean {
  if (schema === undefined || table === undefined || !hint.includes('"')) return true
  const relation = catalog?.relation(schema, table)
  const overloads = relation === undefined ? (catalog?.functions(schema, table) ?? []) : []
  if (overloads.some(({ usableBy }) => usableBy.includes(role))) return true
  const columns = catalog?.columnNames(schema, table, role) ?? []
  const rest = columns.reduce((text, column) => text.replaceAll(`"${table}.${column}"`, ''), hint)
  return !rest.includes('"')
}

const EXPLANATIONS: Readonly<Record<string, Explain>> = {
  '21000': () => 'Make sure that each row, or each conflict key, comes only once.',
  '22001': () => 'Shorten the value, or make the column wider.',
  '22003': () => 'The number does not fit the type of the column; use bigint or numeric for larger ones.',
  '22007': (err, context) =>
    nullHint(err, context) ?? 'Write dates as 2024-01-31 and timestamps as 2024-01-31T12:00:00Z.',
  '22008': () => 'Write dates as 2024-01-31 and timestamps as 2024-01-31T12:00:00Z.',
  '22012': () => 'Guard the division, for example with nullif(divisor, 0).',
  '22021': () => 'Send text as UTF-8, without NUL characters.',
  '22023': err => (/time ?zone/i.test(err.message) ? 'Use a name such as Europe/Berlin or UTC.' : undefined),
  '22P02': explainBadLiteral,
  '22P05': () => 'Remove the \\u0000 escape: Postgres text cannot hold a NUL character.',
  '23502': explainMissingValue,
  '23503': explainForeignKey,
  '23505': explainDuplicate,
  '23514': err =>
    `Send values that satisfy the check constraint ${quoted(err.constraint, 'named in the message')}.`,
  '25006': () => 'Reads run in read-only transactions; call what writes with POST, as a VOLATILE function.',
  '40001': () => 'Another transaction changed the same rows: send the request again.',
  '40P01': () =>
    'Two transactions waited for each other: send the request again, and lock rows in one order.',
  '42501': explainMissingRight,
  '42601': () => 'Check the SQL near the place that the message names.',
  '42701': () => 'Name each column once.',
  '42703': explainUnknownColumn,
  '42704': err => (/type "/.test(err.message) ? 'Check the name of the type after "::".' : undefined),
  '42804': () => 'Send a value of the type of the column, or cast it.',
  '42883': explainUnknownFunction,
  '42P01': explainUnknownTable,
  '42P02': () => 'Send one entry in params for each $1, $2, ... of the statement.',
  '42P10': () => 'on_conflict must name exactly the columns of a unique constraint or of the primary key.',
  '42P18': () => 'Give the parameter a type, for example $1::text.',
  '53300': () => 'The database has no free connection: try again in a moment.',
  '54000': () => 'Make the request smaller.',
  '54001': () => 'The expression or the JSON is nested too deeply: make it flatter.',
  '55P03': () => 'Another transaction holds the lock: try again in a moment.',
  '57014': () =>
    'The statement took too long. Filter on indexed columns, ask for fewer rows, or add an index.',
}

/** For `eq.null`, which compares with the text "null". */
function nullHint({ message }: PostgresError, { comparedWithNull }: ErrorHintContext): string | undefined {
  if (comparedWithNull === undefined || !/: "null"$/i.test(message)) return undefined
  return `To test for a missing value write ${comparedWithNull}=is.null.`
}

function explainBadLiteral(err: PostgresError, context: ErrorHintContext): string | undefined {
  const { message } = err
  const type = /for (?:type |enum )?"?([\w ]+?)"?: "/.exec(message)?.[1]
  if (type === undefined) return 'Send a value that the type of the column can hold.'
  if (type === 'json' || type === 'jsonb') return 'Send valid JSON for this column.'
  return nullHint(err, context) ?? `Send a valid ${type}.`
}

/** A row that lacks what its neighbours have gets null there, whatever default the column has. */
function explainMissingValue({ column }: PostgresError, { table, isCall = false }: ErrorHintContext): string {
  const givesRows = table !== undefined && !isCall
  return (
    `Give a value for ${quoted(column, 'the column')}, or give the column a default.` +
    (givesRows ? ' Prefer: missing=default uses it in rows that lack what other rows have.' : '')
  )
}

function explainDuplicate({ constraint }: PostgresError, { isUpsert }: ErrorHintContext): string {
  if (isUpsert !== true) return 'Change the value, or upsert: POST with Prefer: resolution=merge-duplicates.'
  return (
    `The upsert looks at other columns than ${quoted(constraint, 'the constraint')} does: change the value, or name ` +
    'the columns of that constraint in on_conflict.'
  )
}

function explainForeignKey({ message }: PostgresError): string {
  return /still referenced|update or delete/.test(message)
    ? 'Delete or change the rows that refer to this one first, or declare the foreign key ON DELETE CASCADE.'
    : 'Insert the row that is referred to first.'
}

function explainMissingRight(err: PostgresError, context: ErrorHintContext): string {
  const { role, schema, table, privileges = '<the right it needs>', isCall = false } = context
  if (/row-level security/.test(err.message)) {
    return explainPolicy(err, context)
  }
  const [, kind, object = ''] = /permission denied for (?:materialized )?(\w+) (.+)$/.exec(err.message) ?? []
  const name = plainOrQuoted(object)
  if (kind === 'schema') return `Run: GRANT USAGE ON SCHEMA ${name} TO ${role};`
  if (kind === 'function') return `Run: GRANT EXECUTE ON FUNCTION ${name} TO ${role};`
  if (kind === 'sequence') return `Run: GRANT USAGE ON SEQUENCE ${name} TO ${role};`
  if (kind === 'table' || kind === 'view') {
    const target = schema !== undefined && object === table ? `${plainOrQuoted(schema)}.${name}` : name
    if (isCall) {
      return `Grant ${role} the right on ${name} that the function needs, or declare the function SECURITY DEFINER.`
    }
    const minimal = privileges.includes(', ')
      ? ' To write without reading back send Prefer: return=minimal.'
      : ''
    const narrow = ofColumns(privileges)
    const columns =
      narrow === privileges
        ? ''
        : ` or, where only some columns are to be open: GRANT ${narrow} ON ${target} TO ${role};`
    return `Run: GRANT ${privileges} ON ${target} TO ${role};${columns}${minimal}`
  }
  return `Grant the missing right to ${role}.`
}

function explainPolicy(
  { message }: PostgresError,
  { role, table, isUpsert, readsBack = true, isWithoutUser }: ErrorHintContext,
): string {
  const name = /for table "([^"]+)"/.exec(message)?.[1] ?? table
  const place = name === undefined ? 'the table' : `the table "${name}"`
  const user =
    isWithoutUser === true
      ? ' The request came with an API key alone: if the policy asks for a user, send ' +
        'Authorization: Bearer <access token>.'
      : ''
  if (isUpsert === true) {
    return (
      `An upsert reads the row that is there, too: ${place} needs policies FOR SELECT, FOR INSERT and FOR UPDATE ` +
      `that let ${role} see and write this row.${user}`
    )
  }
  const minimal = readsBack
    ? '; if the row may be written but not read back, send Prefer: return=minimal'
    : ''
  const refusal = `No policy of ${place} lets ${role} write this row.`
  return `${refusal} Add one with CREATE POLICY ... WITH CHECK${minimal}.${user}`
}

/** Every right but DELETE can be given for columns alone. */
function ofColumns(privileges: string): string {
  return privileges.replaceAll(/SELECT|INSERT|UPDATE/g, '$& (<columns>)')
}

/** A name as SQL takes it: in quotes only where it needs them. */
function plainOrQuoted(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name : quoteIdentifier(name)
}

function explainUnknownColumn(
  err: PostgresError,
  { catalog, schema, table, role }: ErrorHintContext,
): string | undefined {
  const [, relation, name] =
    /column "?(?:([^".]+)"?\."?)?([^"]+?)"? (?:of relation "[^"]*" )?does not exist/.exec(err.message) ?? []
  if (name === undefined || schema === undefined || table === undefined) return undefined
  // Embedded relations have aliases such as "owners_1".
  if (relation !== undefined && relation !== table) return `"${name}" is no column of the embedded relation.`
  const columns = catalog?.columnNames(schema, table, role) ?? []
  if (columns.length === 0) return undefined
  const near = nearestName(name, columns)
  const list = `"${table}" has the columns ${columns.slice(0, 30).join(', ')}${columns.length > 30 ? ', ...' : ''}.`
  return near === undefined ? list : `Perhaps you meant the column "${near}". ${list}`
}

function explainUnknownTable(
  err: PostgresError,
  { catalog, schema = 'public', role }: ErrorHintContext,
): string {
  const name = /relation "(?:[^"]*\.)?([^".]+)" does not exist/.exec(err.message)?.[1]
  // The remembered catalog may still have the very table that is gone.
  const others = (catalog?.relationNames(schema, role) ?? []).filter(other => other !== name)
  const near = name === undefined ? undefined : nearestName(name, others)
  if (near !== undefined) return `Perhaps you meant the table "${schema}.${near}".`
  return 'Check the name and its schema. CREATE TABLE makes one: POST /v1/sql as service_role, or SQL in the dashboard.'
}

function explainUnknownFunction({ message }: PostgresError): string {
  return message.startsWith('operator does not exist')
    ? 'This operator does not work on the type of this column: like and match want text, cs and ov want ' +
        'arrays, ranges or jsonb.'
    : 'Check the name of the function, and the names and types of its arguments.'
}

function quoted(name: string | undefined, otherwise: string): string {
  return name === undefined ? otherwise : `"${name}"`
}
