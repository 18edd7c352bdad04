// What whoever has the anon key can read, each tried as anon.

import { quoteQualified } from '../../../db/sql.ts'
import {
  columnList,
  defineCheck,
  enableRowSecurity,
  OF_RELATION,
  READ_GRANTEES,
  revokeSelect,
  roleList,
} from '../check.ts'
import type { Reading } from '../schemas.ts'

const TRIED_MAX = 5_000

/** The sentence for what came of reading; none where there was nothing to read. */
const TRIED: Record<Exclude<Reading, 'refused'>, string> = {
  rows: 'Tried: an anon key reads its rows.',
  no_rows: 'Tried: an anon key may read it, and got no row.',
  failed: 'Its grants let an anon key read it; when tried, reading failed.',
  timed_out: 'Its grants let an anon key read it; when tried, it took too long.',
  locked: 'Its grants let an anon key read it; it was locked when tried.',
  not_tried: 'Its grants let an anon key read it; it was not tried.',
}

export const anonReadsWithoutRls = defineCheck<Record<string, never>>({
  id: 'anon_reads_without_rls',
  level: 'warning',
  category: 'security',
  title: 'Every row can be read with an anon key',
  why:
    'An anon key is in every browser, so everybody has it. Where that is meant, a policy says so, and the finding ' +
    'is gone.',
  isTried: true,
  rowsMax: TRIED_MAX,
  // Where there are policies, or anon may write, it is another finding with the same remedy.
  sql: `select ${OF_RELATION}, '{}'::json from relations r
    where r.relkind in ('r', 'p') and not r.relrowsecurity and not r.has_policies and r.anon_selects
      and not (r.anon_inserts or r.anon_updates or r.anon_deletes)`,
  describe: (table, _facts, reading) =>
    reading === 'refused'
      ? undefined
      : {
          reason: `Row-level security is off. ${TRIED[reading]}`,
          sql: enableRowSecurity(table),
          decide:
            'With it nobody but service_role and the owner sees rows, until a policy says who may. For everybody: ' +
            `create policy "everybody reads" on ${quoteQualified(table)} for select to anon using (true);`,
        },
})

/** What a view with `security_invoker` reads is read by the caller, also where another view stands above it. */
const readsAsOwner = (view: string) => `not exists (select from pg_options_to_table(${view}.reloptions) o
      where o.option_name = 'security_invoker' and o.option_value::bool)`

/** Whether `t` holds rows, as far as Postgres noted. Its file says it first; where it has partitions, they do. */
const HAS_ROWS = `(t.relpages > 0 or pg_stat_get_live_tuples(t.oid) > 0
      or ($2::bool and t.relkind = 'r' and t.oid not in (select b.oid from busy b) and pg_relation_size(t.oid) > 0)
      or exists (select from pg_inherits h join pg_class k on k.oid = h.inhrelid
        where h.inhparent = t.oid and (k.relpages > 0 or pg_stat_get_live_tuples(k.oid) > 0)))`

/** Row-level security holds for a view's owner where it is forced, or where the table belongs to somebody else. */
const BYPASSED = `with recursive read_by(root, viewer, oid) as (
    select v.oid, c.relowner, v.oid from relations v join pg_class c on c.oid = v.oid
    where v.anon_selects and v.relkind in ('v', 'm') and ${readsAsOwner('c')}
    union
    select b.root, c.relowner, t.oid
    from read_by b join pg_class c on c.oid = b.oid and c.relkind in ('v', 'm')
      join pg_rewrite w on w.ev_class = b.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjid <> b.oid
      join pg_class t on t.oid = d.refobjid
    where ${readsAsOwner('t')}),
  bypassed as (
    select distinct b.root, t.oid, n.nspname as schema, t.relname as name,
      ${HAS_ROWS} as has_rows
    from read_by b join pg_class t on t.oid = b.oid and t.relrowsecurity join pg_namespace n on n.oid = t.relnamespace
      join pg_roles o on o.oid = b.viewer
    where (o.rolsuper or o.rolbypassrls or (not t.relforcerowsecurity and pg_has_role(b.viewer, t.relowner, 'USAGE')))
      and not exists (select from policies p where p.polrelid = t.oid and p.is_anons and p.is_permissive
        and p.command in ('r', '*') and p.using_sql = 'true'))`

interface BypassFacts {
  tables: { schema: string; name: string }[]
  has_rows: boolean
  grantees: string[]
}

export const viewBypassesRls = defineCheck<BypassFacts>({
  id: 'view_bypasses_rls',
  level: 'warning',
  category: 'security',
  title: 'A view shows rows that policies would hold back',
  why:
    'A view reads with the rights of its owner, whom row-level security does not bind; so the policies of the tables ' +
    'under it decide nothing for whoever reads the view.',
  isTried: true,
  rowsMax: 500,
  sql: `${BYPASSED}
    select ${OF_RELATION}, json_build_object('tables', b.tables, 'has_rows', b.has_rows, 'grantees', ${READ_GRANTEES})
    from relations r join (
      select root, json_agg(json_build_object('schema', schema, 'name', name) order by schema, name) as tables,
        bool_or(has_rows) as has_rows
      from bypassed group by root) b on b.root = r.oid`,
  describe: (view, { tables, has_rows: hasRows, grantees }, reading) => {
    // A view that shows anon nothing of tables that hold rows has a condition of its own.
    if (reading === 'refused' || (reading === 'no_rows' && hasRows)) return undefined
    const names = tables.map(({ schema, name }) => `${schema}.${name}`).join(', ')
    const reason = `It reads ${names} as ${view.owner}, past the policies there. ${TRIED[reading]}`
    if (view.kind === 'materialized_view')
      return {
        reason,
        sql: revokeSelect(view, grantees),
        decide:
          'Policies never hold for a materialized view. A view over it can choose the rows that anon may see.',
      }
    return {
      reason,
      sql: `alter view ${quoteQualified(view)} set (security_invoker = true);`,
      decide:
        'It then needs grants and policies of whoever reads it on the tables. Where it is meant to show more than ' +
        'they do, its own condition must choose the rows.',
    }
  },
})

export const anonReadsMaterializedView = defineCheck<{ grantees: string[] }>({
  id: 'anon_reads_materialized_view',
  level: 'info',
  category: 'security',
  title: 'A materialized view can be read with an anon key',
  why: 'It has no row-level security: whoever may read it reads all that was in it when it was refreshed.',
  isTried: true,
  rowsMax: TRIED_MAX,
  sql: `${BYPASSED} select ${OF_RELATION}, json_build_object('grantees', ${READ_GRANTEES}) from relations r
    where r.relkind = 'm' and r.anon_selects and r.oid not in (select root from bypassed)`,
  describe: (view, { grantees }, reading) =>
    reading === 'refused'
      ? undefined
      : {
          reason: TRIED[reading],
          sql: revokeSelect(view, grantees),
          decide: 'Leave it where everybody is meant to see all of it.',
        },
})

export const anonReadsForeignTable = defineCheck<{ grantees: string[] }>({
  id: 'anon_reads_foreign_table',
  level: 'warning',
  category: 'security',
  title: 'A foreign table can be read with an anon key',
  why:
    'It has no row-level security, and each call goes on to another server, with the login that the owner of the ' +
    'user mapping keeps there.',
  isTried: true,
  rowsMax: TRIED_MAX,
  sql: `select ${OF_RELATION}, json_build_object('grantees', ${READ_GRANTEES}) from relations r
    where r.relkind = 'f' and r.anon_selects`,
  describe: (table, { grantees }, reading) =>
    reading === 'refused' ? undefined : { reason: TRIED[reading], sql: revokeSelect(table, grantees) },
})

/** Names as words with underscores, in lower case. The last word says what a column holds. */
const SECRET_NAMES =
  '(^|_)(password|passwd|pwd|passphrase|secret|api_?key|private_key|secret_key|access_key|credentials?|ssn|' +
  'otp|totp|recovery_codes?|backup_codes?|(^|(access|refresh|auth|session|reset|api|id|bearer|invite|invitation|' +
  'confirmation|verification|verify|login|magic|recovery|remember)_)tokens?)' +
  '(_(hash|hashed|salt|digest|encrypted|ciphertext|value|plain))?$'

/** The name of the column `a` is one of a secret, and its type can hold one. */
const IS_SECRET = `(lower(regexp_replace(a.attname, '([a-z0-9])([A-Z])', '\\1_\\2', 'g')) ~ '${SECRET_NAMES}'
  and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bytea'::regtype, 'json'::regtype,
    'jsonb'::regtype, 'uuid'::regtype, 'text[]'::regtype, 'varchar[]'::regtype))`

/** Each column of a table that looks like a secret has the grants of the others in its facts. */
const GRANTS_BYTES_MAX = 2_000

interface SecretFacts {
  column: string
  protected: boolean
  /** By whom anon may read, and the columns of each that look like no secret; null where it is too long. */
  grants: { grantee: string; columns: string[] }[] | null
  grantees: string[]
}

export const secretColumnReadable = defineCheck<SecretFacts>({
  id: 'secret_column_readable',
  level: 'error',
  category: 'security',
  title: 'A secret can be read with an anon key',
  why: 'Passwords, tokens, keys, and hashes of them are of use to whoever reads them. Grants can leave out columns.',
  isTried: true,
  rowsMax: 500,
  sql: `with columns as materialized (
      select r.oid, a.attname, a.attnum, ${IS_SECRET} as is_secret
      from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
      where r.anon_selects and has_column_privilege('anon', r.oid, a.attnum, 'SELECT')),
    readers as (
      select c.oid, case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee)::text end as grantee,
        coalesce(json_agg(c.attname order by c.attnum) filter (where not c.is_secret), '[]') as columns
      from columns c join pg_class k on k.oid = c.oid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = c.attnum
        cross join lateral (
          select distinct e.grantee
          from (values (coalesce(k.relacl, acldefault('r', k.relowner))), (a.attacl)) acls(acl)
            cross join lateral aclexplode(acls.acl) e
          where e.privilege_type = 'SELECT' and (e.grantee = 0 or pg_has_role('anon', e.grantee, 'USAGE'))) g
      where c.oid in (select s.oid from columns s where s.is_secret)
      group by c.oid, g.grantee),
    grants as materialized (
      select oid, json_agg(json_build_object('grantee', grantee, 'columns', columns) order by grantee) as list
      from readers group by oid)
    select ${OF_RELATION}, json_build_object('column', s.attname, 'grantees', ${READ_GRANTEES},
      'grants', case when octet_length(g.list::text) <= ${GRANTS_BYTES_MAX} then g.list end,
      'protected', r.relrowsecurity or r.relkind = 'v')
    from relations r join grants g on g.oid = r.oid join columns s on s.oid = r.oid and s.is_secret`,
  describe: (table, { column, protected: isProtected, grants, grantees }, reading) => {
    if (reading === 'refused' || (isProtected && reading !== 'rows')) return undefined
    const reason = `By its name the column holds a secret. ${TRIED[reading]}`
    const revoked = revokeSelect(table, grantees)
    if (grants === null)
      return {
        column,
        reason,
        sql: null,
        decide: `After this grant the columns that may be read, which are too many to list here: ${revoked}`,
      }
    const granted = grants
      .filter(({ columns }) => columns.length > 0)
      .map(({ grantee, columns }) => {
        const to = roleList([grantee])
        return `grant select (${columnList(columns)}) on ${quoteQualified(table)} to ${to};`
      })
    return {
      column,
      reason,
      sql: [revoked, ...granted].join('\n'),
      decide: 'Calls that ask for all columns fail then: they have to name those that they need.',
    }
  },
})
