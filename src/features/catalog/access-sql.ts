// What the access of a role is worked out from: rights, policies, and how a view asks. Pure.

import type { KeyRole } from '../../db/database.ts'
import type { AccessFacts, Rights } from './access.ts'
import { expression, listOf } from './sql-parts.ts'

/** Public, or a role whose rights this one has. */
const appliesTo = (role: KeyRole) =>
  `exists (select from unnest(p.polroles) r(oid) where r.oid = 0 or pg_has_role('${role}', r.oid, 'USAGE'))`

const POLICIES = listOf(
  `json_build_object('name', p.polname, 'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert'
      when 'w' then 'update' when 'd' then 'delete' else 'all' end,
    'roles', (select json_agg(case when o.oid = 0 then 'public' else r.rolname end order by o.place)
      from unnest(p.polroles) with ordinality o(oid, place) left join pg_roles r on r.oid = o.oid
      where o.oid = 0 or r.oid is not null),
    'permissive', p.polpermissive, 'using', ${expression('pg_get_expr(p.polqual, p.polrelid)')},
    'check', ${expression('pg_get_expr(p.polwithcheck, p.polrelid)')},
    'applies', json_build_object('anon', ${appliesTo('anon')}, 'service_role', ${appliesTo('service_role')}))`,
  'pg_policy p where p.polrelid = c.oid',
  'p.polname',
)

/** Of a privilege on the whole table null, else the columns that it is held for. */
const columnsSql = (role: KeyRole, privilege: string) =>
  `case when has_table_privilege('${role}', c.oid, '${privilege}') then null
    when not has_any_column_privilege('${role}', c.oid, '${privilege}') then '[]' else (
    select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and has_column_privilege('${role}', c.oid, a.attnum, '${privilege}')) end`

const rightsSql = (role: KeyRole) => `json_build_object(
  'usage', has_schema_privilege('${role}', n.oid, 'USAGE'),
  'privileges', (select coalesce(json_agg(lower(u.name) order by u.place), '[]')
    from unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) with ordinality u(name, place)
    where has_table_privilege('${role}', c.oid, u.name)),
  'columns', json_build_object('select', ${columnsSql(role, 'SELECT')}, 'insert', ${columnsSql(role, 'INSERT')},
    'update', ${columnsSql(role, 'UPDATE')}),
  'bypasses', (select r.rolsuper or r.rolbypassrls from pg_roles r where r.rolname = '${role}')
    or (pg_has_role('${role}', c.relowner, 'USAGE') and not c.relforcerowsecurity))`

/** Fields of the relation `c` in `n`, as `AccessRow` has them. */
export const ACCESS_FIELDS = `'policies', ${POLICIES},
  'asks_as_caller', c.relkind = 'v' and coalesce((
    select bool_or(case when o.option_name = 'security_invoker' then o.option_value::boolean end)
    from pg_options_to_table(c.reloptions) o), false),
  'rights', json_build_object('anon', ${rightsSql('anon')}, 'service_role', ${rightsSql('service_role')})`

export interface AccessRow extends Pick<AccessFacts, 'policies' | 'asks_as_caller'> {
  rights: Record<KeyRole, Rights>
}
