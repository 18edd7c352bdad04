// Row-level security: whether it is in force, what policies let anon do, and what they cost.

import { quoteIdentifier, quoteQualified } from '../../../db/sql.ts'
import {
  defineCheck,
  enableRowSecurity,
  type FoundObject,
  OF_RELATION,
  READ_GRANTEES,
  roleList,
} from '../check.ts'
import { callsOnce } from '../policy-expression.ts'

export const policiesNotEnforced = defineCheck<{ count: number }>({
  id: 'policies_not_enforced',
  level: 'error',
  category: 'security',
  title: 'Policies that are not in force',
  why: 'Whoever wrote policies meant rows to be protected. While row-level security is off, grants alone decide.',
  sql: `select ${OF_RELATION}, json_build_object('count',
      (select count(*) from pg_policy p where p.polrelid = r.oid))
    from relations r where r.has_policies and not r.relrowsecurity`,
  describe: (table, { count }) => ({
    reason: `Row-level security is off, so its ${count === 1 ? 'policy decides' : `${count} policies decide`} nothing.`,
    sql: enableRowSecurity(table),
  }),
})

interface WriteFacts {
  verbs: string[]
  reads: boolean
}

export const anonWritesWithoutRls = defineCheck<WriteFacts>({
  id: 'anon_writes_without_rls',
  level: 'error',
  category: 'security',
  title: 'Rows can be changed with an anon key, and no policy decides which',
  why: 'An anon key is in every browser, so everybody has it. Without row-level security a grant is for all rows.',
  sql: `select ${OF_RELATION}, json_build_object('reads', r.anon_selects, 'verbs', array_remove(array[
      case when r.anon_inserts then 'insert' end, case when r.anon_updates then 'update' end,
      case when r.anon_deletes then 'delete' end], null))
    from relations r
    where r.relkind in ('r', 'p') and not r.relrowsecurity and not r.has_policies
      and (r.anon_inserts or r.anon_updates or r.anon_deletes)`,
  describe: (table, { verbs, reads }) => ({
    reason: `Row-level security is off, and anon may ${verbs.join(', ')}${reads ? ', and read every row' : ''}.`,
    sql: enableRowSecurity(table),
    decide: 'With it anon changes nothing, until policies say who may do what.',
  }),
})

/** No restrictive policy narrows what the policy `p` lets anon do. */
const UNRESTRICTED = `p.is_anons and p.is_permissive and not exists (select from policies q
    where q.polrelid = p.polrelid and q.is_anons and not q.is_permissive and (q.command in (p.command, '*')
      or p.command = '*'))`

interface PolicyFacts {
  policy: string
  command: '*' | 'r' | 'a' | 'w' | 'd'
}

const SIGNED_IN = '((select quoin.uid()) is not null)'

function requireSignedIn(table: FoundObject, { policy, command }: PolicyFacts): string {
  const using = command === 'a' ? '' : ` using ${SIGNED_IN}`
  const check = command === 'd' ? '' : ` with check ${SIGNED_IN}`
  return `alter policy ${quoteIdentifier(policy)} on ${quoteQualified(table)}${using}${check};`
}

const WHOSE_ROW =
  'It lets in whoever is signed in. Better is a column that says whose a row is, compared in the policy.'

export const policyAlwaysTrue = defineCheck<PolicyFacts>({
  id: 'policy_always_true',
  level: 'error',
  category: 'security',
  title: 'A policy lets everybody change or delete every row',
  why: 'A condition that is literally true protects nothing. Any row can be changed with an anon key, which is public.',
  sql: `select ${OF_RELATION}, json_build_object('policy', p.name, 'command', p.command)
    from relations r join policies p on p.polrelid = r.oid
    where r.relrowsecurity and ${UNRESTRICTED} and p.using_sql = 'true' and coalesce(p.check_sql, 'true') = 'true'
      and ((p.command in ('w', '*') and r.anon_updates) or (p.command in ('d', '*') and r.anon_deletes))`,
  describe: (table, facts) => ({
    policy: facts.policy,
    reason: `The policy “${facts.policy}” is true for every row, and anon has the right to change them.`,
    sql: requireSignedIn(table, facts),
    decide:
      facts.command === '*'
        ? `${WHOSE_ROW} This policy decides about reading too: where everybody may read, give that one of its own.`
        : WHOSE_ROW,
  }),
})

export const anonInsertsAnything = defineCheck<PolicyFacts>({
  id: 'anon_inserts_anything',
  level: 'info',
  category: 'security',
  title: 'A policy lets everybody insert any row',
  why: 'It may be meant, as for a contact form. Else rows can be made in other people’s names, any number of them.',
  sql: `select ${OF_RELATION}, json_build_object('policy', p.name, 'command', p.command)
    from relations r join policies p on p.polrelid = r.oid
    where r.relrowsecurity and ${UNRESTRICTED} and r.anon_inserts
      and ((p.command = 'a' and p.check_sql = 'true')
        or (p.command = '*' and p.using_sql = 'true' and coalesce(p.check_sql, 'true') = 'true'
          and not r.anon_updates and not r.anon_deletes))`,
  describe: (table, facts) => ({
    policy: facts.policy,
    reason: `The policy “${facts.policy}” takes every row from anon.`,
    sql: requireSignedIn(table, facts),
    decide: `Leave it where strangers are meant to insert. ${WHOSE_ROW}`,
  }),
})

export const rlsWithoutPolicy = defineCheck<{ grantees: string[] }>({
  id: 'rls_without_policy',
  level: 'info',
  category: 'security',
  title: 'Granted to anon, and no policy lets anon see a row',
  why:
    'Reading answers no rows and no error, which is hard to find out from outside. It is safe; but either a policy ' +
    'or the grant is one that somebody forgot.',
  sql: `select ${OF_RELATION}, json_build_object('grantees', ${READ_GRANTEES})
    from relations r
    where r.relrowsecurity and not r.is_busy and r.anon_selects
      and not exists (select from policies p where p.polrelid = r.oid and p.is_anons and p.is_permissive)`,
  describe: (table, { grantees }) => ({
    reason: 'Row-level security is on and no policy is for anon, who may read by the grants and gets no row.',
    sql: `revoke all on ${quoteQualified(table)} from ${roleList(grantees)};`,
    decide: 'Or write the policy that is missing.',
  }),
})

interface ExpressionFacts {
  policy: string
  using: string | null
  check: string | null
  functions: string[]
}

export const policyEvaluatedPerRow = defineCheck<ExpressionFacts>({
  id: 'policy_evaluated_per_row',
  level: 'info',
  category: 'performance',
  title: 'A policy asks who calls at every row',
  why:
    'What does not depend on the row needs to be asked once. In a sub-select Postgres does so; else it reads the ' +
    'claims again for each row that it looks at.',
  rowsMax: 1_000,
  // By the rule: functions without arguments that give the same answer within a statement, and current_setting.
  sql: `select ${OF_RELATION}, json_build_object('policy', p.name, 'using', p.using_sql, 'check', p.check_sql,
      'functions', f.names)
    from relations r join policies p on p.polrelid = r.oid
      cross join lateral (
        select array_agg(quote_ident(n.nspname) || '.' || quote_ident(u.proname)) || 'current_setting'::text as names
        from pg_depend d join pg_proc u on u.oid = d.refobjid join pg_namespace n on n.oid = u.pronamespace
        where d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_proc'::regclass
          and u.provolatile = 's' and u.pronargs = 0) f
    where r.relrowsecurity and p.is_anons
      and (f.names is not null or concat(p.using_sql, ' ', p.check_sql) like '%current_setting(%')
      and length(concat(p.using_sql, p.check_sql)) < 20000`,
  describe: (table, { policy, using, check, functions }) => {
    const names = new Set(functions ?? ['current_setting'])
    const better = { using: using && callsOnce(using, names), check: check && callsOnce(check, names) }
    const parts = [
      ...(better.using ? [`using (${better.using})`] : []),
      ...(better.check ? [`with check (${better.check})`] : []),
    ]
    if (parts.length === 0) return undefined
    return {
      policy,
      reason: `The policy “${policy}” calls a function for each row, whose answer is the same for all.`,
      sql: `alter policy ${quoteIdentifier(policy)} on ${quoteQualified(table)} ${parts.join(' ')};`,
    }
  },
})

interface MergeFacts {
  command: PolicyFacts['command']
  policies: { name: string; using: string | null; check: string | null }[]
}

export const multiplePermissivePolicies = defineCheck<MergeFacts>({
  id: 'multiple_permissive_policies',
  level: 'info',
  category: 'performance',
  title: 'Several policies for the same command and roles',
  why: 'A row passes when one of them holds, so Postgres tries all of them at each row. One with OR says the same.',
  // A policy for ALL beside one for SELECT is how owners and readers are usually told apart, and is no fault.
  sql: `select ${OF_RELATION}, json_build_object('command', m.command, 'policies', m.policies)
    from relations r join (
      select p.polrelid, p.command, p.polroles, json_agg(json_build_object('name', p.name, 'using', p.using_sql,
        'check', p.check_sql) order by p.name) as policies
      from policies p where p.is_permissive and p.is_anons
      group by p.polrelid, p.command, p.polroles
      having count(*) between 2 and 20 and sum(length(concat(p.using_sql, p.check_sql))) < 20000) m
      on m.polrelid = r.oid
    where r.relrowsecurity`,
  describe: (table, { command, policies }) => {
    const [first, ...others] = policies
    if (first === undefined) return undefined
    const on = quoteQualified(table)
    const hasCheck = policies.some(({ check }) => check !== null)
    const using = clause(
      'using',
      policies.map(each => each.using),
    )
    // Postgres holds new rows to USING where there is no WITH CHECK.
    const check = hasCheck
      ? clause(
          'with check',
          policies.map(each => each.check ?? each.using),
        )
      : ''
    const altered =
      using === '' && check === ''
        ? []
        : [`alter policy ${quoteIdentifier(first.name)} on ${on}${using}${check};`]
    const dropped = others.map(({ name }) => `drop policy ${quoteIdentifier(name)} on ${on};`)
    return {
      policy: first.name,
      reason: `${COMMANDS[command]} is decided by ${policies.map(({ name }) => `“${name}”`).join(', ')}.`,
      sql: [...altered, ...dropped].join('\n'),
    }
  },
})

/** One of them must hold. By a permissive policy without the expression nobody passes, so that one adds nothing. */
function clause(keyword: string, expressions: readonly (string | null)[]): string {
  const some = expressions.filter(each => each !== null)
  return some.length === 0 ? '' : ` ${keyword} (${some.map(each => `(${each})`).join(' or ')})`
}

const COMMANDS: Record<PolicyFacts['command'], string> = {
  '*': 'Every command',
  r: 'SELECT',
  a: 'INSERT',
  w: 'UPDATE',
  d: 'DELETE',
}
