// What a check is: a query that finds the fault, and words and SQL for each place that has it. Pure.

import { quoteIdentifier, quoteQualified } from '../../db/sql.ts'
import { type AdvisorFinding, FINDINGS_PER_CHECK_MAX, type ObjectKind, type Reading } from './schemas.ts'

/** What a check's query says of one object, beside its facts. */
export interface FoundObject {
  oid: number
  schema: string
  name: string
  kind: ObjectKind
  owner: string
  bytes: number | null
  rows: number | null
}

/** What is wrong with it and what mends it. Names of others stand in `sql` quoted, and never in its comments. */
export interface Description {
  reason: string
  sql: string | null
  decide?: string
  table?: string | undefined
  column?: string | undefined
  policy?: string | undefined
  constraint?: string | undefined
  /** What tells it from others of the same name. */
  key?: string
}

interface CheckInput<Facts> {
  /** Never changes: findings have it in their keys. */
  id: string
  level: AdvisorFinding['level']
  category: AdvisorFinding['category']
  title: string
  why: string
  /**
   * A SELECT of `OF_RELATION` or the like, then a JSON object of facts. It may read `relations`, `policies` and
   * `schemas`, which `advisor-sql.ts` puts before it. The search path holds pg_catalog alone.
   */
  sql: string
  /** Most rows of it that are looked at, the largest first; `FINDINGS_PER_CHECK_MAX` unless said. */
  rowsMax?: number
  /** True: the object is read as anon, and `describe` is told what came of it. */
  isTried?: boolean
  /** Undefined: no fault after all. */
  describe(object: FoundObject, facts: Facts, reading: Reading): Description | undefined
}

export type Check = ReturnType<typeof defineCheck>

/** `Facts` is the shape of the JSON that the check's own query makes. */
export function defineCheck<Facts>(input: CheckInput<Facts>) {
  const { describe, rowsMax = FINDINGS_PER_CHECK_MAX, isTried = false, ...check } = input
  return {
    ...check,
    rowsMax,
    isTried,
    describe: (object: FoundObject, facts: unknown, reading: Reading) =>
      describe(object, facts as Facts, reading),
  }
}

/** What a check's query selects of a relation `r`; its facts follow. */
export const OF_RELATION = 'r.oid, r.schema, r.name, r.kind, r.owner, r.bytes, r.rows'

export const enableRowSecurity = (table: FoundObject) =>
  `alter table ${quoteQualified(table)} enable row level security;`

/** What `granteesSql` answers, as GRANT and REVOKE take it. */
export const roleList = (grantees: readonly string[]) =>
  grantees.map(role => (role === 'public' ? role : quoteIdentifier(role))).join(', ')

export const revokeSelect = (relation: FoundObject, grantees: readonly string[]) =>
  `revoke select on ${quoteQualified(relation)} from ${roleList(grantees)};`

/** Of several columns, as they stand in parentheses. */
export const columnList = (columns: readonly string[]) => columns.map(quoteIdentifier).join(', ')

/** `1 row`, `2 rows`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`
}

/** Whom anon has a right by, as a JSON array: everybody, itself, or roles that it is a member of. */
export function granteesSql(privilege: string, acls: string): string {
  return `(select json_agg(distinct case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee)::text end)
    from (${acls}) acls(acl) cross join lateral aclexplode(acls.acl) g
    where g.privilege_type = '${privilege}' and (g.grantee = 0 or pg_has_role('anon', g.grantee, 'USAGE')))`
}

/** Whom anon may read the relation `r` by; grants of single columns count. */
export const READ_GRANTEES = granteesSql(
  'SELECT',
  `select coalesce(c.relacl, acldefault('r', c.relowner)) from pg_class c where c.oid = r.oid
    union all select a.attacl from pg_attribute a where a.attrelid = r.oid and a.attacl is not null`,
)
