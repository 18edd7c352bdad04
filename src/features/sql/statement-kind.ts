// What a statement is to us: a read that a cursor can bound, something else, or not allowed. Pure; decided from
// Postgres' own syntax tree, because words alone do not tell (`WITH x AS (DELETE ...) SELECT` is no read).

import { DomainError } from '../../errors.ts'
import { commandTag } from './command-tag.ts'
import type { SyntaxNode } from './syntax-tree.ts'

export interface StatementKind {
  /** True for what DECLARE CURSOR takes: SELECT, VALUES or TABLE that creates nothing and changes nothing by itself. */
  isRead: boolean
  /** Full command tag where the tree tells it. */
  command: string | undefined
}

/** The login role of all callers' connections: what is changed about it stays after the call, for everybody. */
const LOGIN_ROLE = 'authenticator'

/**
 * What a caller's statements run as. Their default privileges and their memberships are the service's, not the
 * callers'.
 */
const SERVICE_ROLES: ReadonlySet<unknown> = new Set([LOGIN_ROLE, 'anon', 'authenticated', 'service_role'])

const TRANSACTION_HINT =
  'Every call is one transaction already, and rolls back by itself when a statement fails. For several statements ' +
  'use POST /v1/sql/transaction, with a session /api/sql/transaction.'
const SESSION_HINT =
  'Nothing of a session stays after a call: use parameters ($1, $2, ...) and run the statement itself.'
const ENCODING_HINT =
  "Requests and answers are JSON, which is UTF-8. To get other bytes, use convert_to(text, 'LATIN1')."
const OWNED_HINT =
  'It would take with it the default privileges that later tables and functions rely on. Drop the tables by ' +
  'name: DROP TABLE a, b.'
const MEMBERSHIP_HINT =
  "Who may act as the service's roles is the administrator's affair. Grant rights on tables, functions and " +
  'schemas instead.'
const COPY_HINT = 'Use INSERT, or POST /v1/db/:table with a JSON or CSV body; to read, use SELECT.'

/** Statements that are refused, with the words to name them by and what to do instead. */
const REFUSED: Record<string, { words: string; hint: string }> = {
  TransactionStmt: { words: 'Transaction control', hint: TRANSACTION_HINT },
  PrepareStmt: { words: 'PREPARE', hint: SESSION_HINT },
  ExecuteStmt: { words: 'EXECUTE', hint: SESSION_HINT },
  DeallocateStmt: { words: 'DEALLOCATE', hint: SESSION_HINT },
  DiscardStmt: { words: 'DISCARD', hint: 'What a call sets in its session is thrown away after it anyway.' },
  ListenStmt: {
    words: 'LISTEN',
    hint: 'A call ends with its answer. Use webhooks to be told of changes; NOTIFY is allowed.',
  },
  UnlistenStmt: {
    words: 'UNLISTEN',
    hint: 'A call ends with its answer, and with it whatever it listened to.',
  },
  LoadStmt: { words: 'LOAD', hint: 'Libraries are loaded by the administrator of the database server.' },
  CopyStmt: { words: 'COPY', hint: COPY_HINT },
}

const ROLE_STATEMENTS = new Set([
  'AlterRoleStmt',
  'AlterRoleSetStmt',
  'DropRoleStmt',
  'GrantRoleStmt',
  'RenameStmt',
  'ReassignOwnedStmt',
  'DropOwnedStmt',
])

/** Decides what a statement is. Throws `statement_not_allowed` with what to do instead. */
export function statementKind(node: SyntaxNode): StatementKind {
  const [name = '', value] = Object.entries(node)[0] ?? []
  const fields = (value ?? {}) as SyntaxNode
  const refused = REFUSED[name]
  if (refused) throw notAllowed(`${refused.words} is not allowed here.`, refused.hint)
  if (name === 'VariableSetStmt' && fields['name'] === 'session_authorization') {
    throw notAllowed('SET SESSION AUTHORIZATION is not allowed here.', 'The role follows from the API key.')
  }
  if (name === 'VariableSetStmt' && fields['kind'] === 'VAR_SET_VALUE' && isClientEncoding(fields)) {
    throw notAllowed('Setting client_encoding is not allowed here.', ENCODING_HINT)
  }
  if (ROLE_STATEMENTS.has(name) && isAboutLoginRole(fields)) {
    throw notAllowed(
      `Statements about the role "${LOGIN_ROLE}" are not allowed here.`,
      'All calls connect as that role. Its owner changes it on a connection of their own.',
    )
  }
  refuseAboutServiceRoles(name, fields)
  return { isRead: name === 'SelectStmt' && isPlainRead(fields), command: commandTag(name, fields) }
}

/** Postgres keeps the case that it was written in, and ignores it. */
function isClientEncoding(fields: SyntaxNode): boolean {
  return String(fields['name']).toLowerCase() === 'client_encoding'
}

/** DECLARE CURSOR takes neither SELECT INTO (written in the leftmost branch of a UNION) nor CTEs that change data. */
function isPlainRead(select: SyntaxNode): boolean {
  for (
    let branch: SyntaxNode | undefined = select;
    branch;
    branch = branch['larg'] as SyntaxNode | undefined
  ) {
    if (branch['intoClause'] || hasWritingCte(branch)) return false
  }
  return true
}

function hasWritingCte(select: SyntaxNode): boolean {
  const ctes = ((select['withClause'] as SyntaxNode | undefined)?.['ctes'] ?? []) as SyntaxNode[]
  return ctes.some(cte => {
    const query = (cte['CommonTableExpr'] as SyntaxNode)['ctequery'] as SyntaxNode
    return !('SelectStmt' in query)
  })
}

/** `CURRENT_USER` counts too: after RESET ROLE it is the login role, and no other role there is worth altering. */
function isAboutLoginRole(fields: SyntaxNode): boolean {
  if (fields['renameType'] === 'OBJECT_ROLE' && fields['subname'] === LOGIN_ROLE) return true
  const roles = [
    fields['role'],
    ...asArray(fields['roles']),
    ...asArray(fields['granted_roles']),
  ] as SyntaxNode[]
  return roles.some(item => {
    const role = (item?.['RoleSpec'] ?? item?.['AccessPriv'] ?? item) as SyntaxNode | undefined
    if (role?.['rolename'] === LOGIN_ROLE || role?.['priv_name'] === LOGIN_ROLE) return true
    return role?.['roletype'] !== undefined && role['roletype'] !== 'ROLESPEC_CSTRING'
  })
}

/** Seen here only when it is the statement itself: inside of DO or a function it is Postgres that decides. */
function refuseAboutServiceRoles(name: string, fields: SyntaxNode): void {
  if (name === 'DropOwnedStmt' || name === 'ReassignOwnedStmt') {
    const role = asArray(fields['roles']).map(roleName).find(isServiceRole)
    const words = name === 'DropOwnedStmt' ? 'DROP OWNED' : 'REASSIGN OWNED'
    if (role) throw notAllowed(`${words} BY the role "${role}" is not allowed here.`, OWNED_HINT)
  }
  const granted = name === 'GrantRoleStmt' ? asArray(fields['granted_roles']) : []
  // ALTER GROUP ... ADD USER is the old spelling of GRANT, and the same node as ALTER ROLE, whose options are not kept.
  const altered = name === 'AlterRoleStmt' ? [fields['role']] : []
  const role = [...granted, ...altered].map(roleName).find(isServiceRole)
  if (role)
    throw notAllowed(`The role "${role}" and membership in it cannot be changed here.`, MEMBERSHIP_HINT)
}

function isServiceRole(name: unknown): name is string {
  return SERVICE_ROLES.has(name)
}

/** A role is named by a RoleSpec, bare or wrapped, and as what is granted by an AccessPriv. */
function roleName(item: unknown): unknown {
  const node = item as SyntaxNode | undefined
  const role = (node?.['RoleSpec'] ?? node?.['AccessPriv'] ?? node) as SyntaxNode | undefined
  return role?.['rolename'] ?? role?.['priv_name']
}

function asArray(value: SyntaxNode[string]): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function notAllowed(message: string, hint: string): DomainError {
  return new DomainError('statement_not_allowed', message, { hint })
}
