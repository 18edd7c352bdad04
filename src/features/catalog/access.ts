// Which rows a role reaches on a table, command by command: grants first, then row-level security as Postgres applies
// it. Pure.

import type { KeyRole } from '../../db/database.ts'
import {
  type Access,
  type AccessByCommand,
  COMMANDS,
  type Command,
  type TableKind,
  type TableMethod,
} from './schemas.ts'
import type { Policy } from './structure.ts'

/** What grants and attributes give a role. */
export interface Rights {
  /** USAGE of the schema. */
  usage: boolean
  /** Held on the whole table. */
  privileges: string[]
  /** Of each privilege that is not held on the whole table: the columns that it is held for. */
  columns: Record<'select' | 'insert' | 'update', string[] | null>
  /** Row-level security does not hold for the role: it owns the table, or is above policies. */
  bypasses: boolean
}

export interface AccessFacts {
  kind: TableKind
  /** What the relation takes at all. */
  methods: readonly TableMethod[]
  row_level_security: boolean
  /** A view that reads with the rights of whoever asks. */
  asks_as_caller: boolean
  policies: readonly (Policy & { applies: Record<KeyRole, boolean> })[]
}

const METHOD_OF: Record<Command, TableMethod> = {
  select: 'GET',
  insert: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
}

/**
 * The access of a role, by command. A change goes by a filter, so for UPDATE and DELETE the rows that may be read count
 * too: whoever reads some rows changes some at most.
 */
export function accessOf(facts: AccessFacts, role: KeyRole, rights: Rights): AccessByCommand {
  const own = (command: Command) => ownAccess(facts, role, rights, command)
  const select = own('select')
  return {
    select,
    insert: own('insert'),
    update: withReading(own('update'), select),
    delete: withReading(own('delete'), select),
  }
}

/** What grants alone let a role do. A change goes by a filter, so it needs SELECT too. */
export function grantedMethods({ methods }: AccessFacts, rights: Rights): TableMethod[] {
  const granted = new Set(
    COMMANDS.filter(command => isGranted(rights, command)).map(command => METHOD_OF[command]),
  )
  return methods.filter(
    method => granted.has(method) && (method === 'GET' || method === 'POST' || granted.has('GET')),
  )
}

function isGranted({ usage, privileges, columns }: Rights, command: Command): boolean {
  const ofColumns = command === 'delete' ? null : columns[command]
  return usage && (privileges.includes(command) || (ofColumns ?? []).length > 0)
}

function ownAccess(facts: AccessFacts, role: KeyRole, rights: Rights, command: Command): Access {
  if (!facts.methods.includes(METHOD_OF[command])) return nothing('not_possible')
  const columns = command === 'delete' || rights.privileges.includes(command) ? null : rights.columns[command]
  if (!isGranted(rights, command)) return nothing('no_grant')
  if (facts.kind === 'view')
    return facts.asks_as_caller
      ? { rows: 'some', because: 'tables_below', policies: [], columns }
      : { rows: 'all', because: 'view_owner', policies: [], columns }
  if (!facts.row_level_security)
    return { rows: 'all', because: 'no_row_level_security', policies: [], columns }
  if (rights.bypasses) return { rows: 'all', because: 'bypasses', policies: [], columns }
  const access = byPolicies(facts, role, command)
  return access.rows === 'none' ? access : { ...access, columns }
}

/** A row must pass one permissive policy and every restrictive one, and a changed row as it was and as it will be. */
function byPolicies(facts: AccessFacts, role: KeyRole, command: Command): Access {
  const policies = facts.policies.filter(
    policy => policy.applies[role] && (policy.command === command || policy.command === 'all'),
  )
  if (!policies.some(({ permissive }) => permissive)) return nothing('no_policy')
  const sides = (command === 'insert' ? ['new'] : command === 'update' ? ['old', 'new'] : ['old']) as Side[]
  const rows = lowest(sides.map(side => passing(policies, side)))
  const deciding = policies.filter(
    policy => rows !== 'some' || sides.some(side => !isTrue(expressionOf(policy, side))),
  )
  return { rows, because: 'policies', policies: deciding.map(({ name }) => name), columns: null }
}

type Side = 'old' | 'new'

/** Without WITH CHECK the other expression holds for new rows too. */
function expressionOf({ using, check, permissive }: Policy, side: Side): string {
  const text = side === 'old' ? using : (check ?? using)
  // Postgres leaves out what is not there: nobody passes by it, and nobody is kept by it.
  return text ?? (permissive ? 'false' : 'true')
}

const isTrue = (expression: string) => expression === 'true'
const isFalse = (expression: string) => expression === 'false'

function passing(policies: readonly Policy[], side: Side): Access['rows'] {
  const textsOf = (permissive: boolean) =>
    policies.filter(policy => policy.permissive === permissive).map(policy => expressionOf(policy, side))
  const [permissive, restrictive] = [textsOf(true), textsOf(false)]
  if (permissive.every(isFalse) || restrictive.some(isFalse)) return 'none'
  return permissive.some(isTrue) && restrictive.every(isTrue) ? 'all' : 'some'
}

const LEVELS = ['none', 'some', 'all'] as const

function lowest(levels: readonly Access['rows'][]): Access['rows'] {
  return LEVELS.find(level => levels.includes(level)) ?? 'none'
}

function withReading(own: Access, select: Access): Access {
  if (own.rows === 'none' || select.rows === 'all') return own
  if (select.rows === 'none') return nothing('no_reading')
  const because = own.rows === 'all' ? select.because : own.because
  return { ...own, rows: 'some', because, policies: [...new Set([...own.policies, ...select.policies])] }
}

function nothing(because: Access['because']): Access {
  return { rows: 'none', because, policies: [], columns: null }
}
