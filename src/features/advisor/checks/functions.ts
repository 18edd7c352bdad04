// Functions that run with the rights of their owner, and those that extensions bring.

import { quoteIdentifier } from '../../../db/sql.ts'
import { defineCheck, type FoundObject, granteesSql, roleList } from '../check.ts'

/** SECURITY DEFINER functions `p` of the exposed schemas, but for those of extensions. */
const DEFINERS = `pg_proc p join schemas s on s.oid = p.pronamespace
  where p.prosecdef and not exists (select from pg_depend d
    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`

const OF_FUNCTION = `p.oid, s.name, p.proname::text, 'function', pg_get_userbyid(p.proowner)::text,
  null::int8, null::int8, json_build_object('arguments', pg_get_function_identity_arguments(p.oid)`

/**
 * Postgres itself calls trigger functions, and nobody else can. What a policy calls must be callable by whom the policy
 * is for, and is often a SECURITY DEFINER function with good reason.
 */
const CALLABLE = `not exists (select from pg_depend d where d.classid = 'pg_policy'::regclass
    and d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid)
  and s.anon_uses and has_function_privilege('anon', p.oid, 'EXECUTE')
  and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)`

const EVERYBODY_MAY = `exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
  where g.grantee = 0 and g.privilege_type = 'EXECUTE')`

interface FunctionFacts {
  arguments: string
}

/** Types of arguments come from Postgres, which quotes them. */
function routine({ schema, name }: FoundObject, { arguments: types }: FunctionFacts): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}(${types})`
}

export const definerWithoutSearchPath = defineCheck<FunctionFacts>({
  id: 'definer_without_search_path',
  level: 'warning',
  category: 'security',
  title: 'A SECURITY DEFINER function looks names up where its caller says',
  why:
    'It runs with the rights of its owner, and finds tables, functions and operators by the search path of whoever ' +
    'calls. Whoever can create something there decides what it does.',
  // A body in SQL's own form is bound when it is created, and C looks nothing up by itself.
  sql: `select ${OF_FUNCTION}) from ${DEFINERS}
    and not exists (select from unnest(p.proconfig) c where c like 'search\\_path=%')
    and p.prosqlbody is null
    and p.prolang not in (select l.oid from pg_language l where l.lanname in ('c', 'internal'))`,
  describe: (found, facts) => ({
    key: `(${facts.arguments})`,
    reason: 'It has no search_path of its own.',
    sql: `alter routine ${routine(found, facts)} set search_path = ${quoteIdentifier(found.schema)}, pg_temp;`,
    decide:
      'Name the other schemas that its body needs too. With an empty search_path, and every name in the body with ' +
      'its schema, nobody can put anything in between.',
  }),
})

export const definerOpenToEveryone = defineCheck<FunctionFacts>({
  id: 'definer_open_to_everyone',
  level: 'warning',
  category: 'security',
  title: 'Everybody may call a SECURITY DEFINER function',
  why:
    'PUBLIC may execute it, which is Postgres’ default and so rarely meant. An anon key calls it at /v1/db/rpc, and ' +
    'it does what its owner may, past the policies of the owner’s tables.',
  sql: `select ${OF_FUNCTION}) from ${DEFINERS} and ${CALLABLE} and ${EVERYBODY_MAY}`,
  describe: (found, facts) => ({
    key: `(${facts.arguments})`,
    reason: `It runs as ${found.owner} for whoever has an anon key.`,
    sql:
      `revoke execute on routine ${routine(found, facts)} from public;\n` +
      `grant execute on routine ${routine(found, facts)} to service_role;`,
    decide: 'Where anon is meant to call it, grant it to anon by name.',
  }),
})

export const definerGrantedToAnon = defineCheck<FunctionFacts & { grantees: string[] }>({
  id: 'definer_granted_to_anon',
  level: 'info',
  category: 'security',
  title: 'A SECURITY DEFINER function is granted to anon',
  why:
    'An anon key calls it at /v1/db/rpc, and it does what its owner may, past the policies of the owner’s tables. ' +
    'What it gives out and whom it trusts is up to its body alone.',
  sql: `select ${OF_FUNCTION}, 'grantees', ${granteesSql('EXECUTE', 'select p.proacl')})
    from ${DEFINERS} and ${CALLABLE} and not ${EVERYBODY_MAY}
    and not pg_has_role('anon', p.proowner, 'USAGE')`,
  describe: (found, facts) => ({
    key: `(${facts.arguments})`,
    reason: `It runs as ${found.owner} for whoever has an anon key.`,
    sql: `revoke execute on routine ${routine(found, facts)} from ${roleList(facts.grantees)};`,
    decide: 'Leave it where the body checks what it must.',
  }),
})

export const extensionInExposedSchema = defineCheck<{ relocatable: boolean; count: number }>({
  id: 'extension_in_exposed_schema',
  level: 'info',
  category: 'security',
  title: 'Functions of an extension are served to anon',
  why: 'What an extension puts into an exposed schema is part of the API, whether anybody meant it or not.',
  // A trusted extension belongs to whoever created it, and what is in it to the superuser: that role alone can move it.
  sql: `select e.oid, s.name, e.extname::text, 'extension', pg_get_userbyid(f.owner)::text, null::int8, null::int8,
      json_build_object('relocatable', e.extrelocatable, 'count', f.count)
    from pg_extension e join schemas s on s.oid = e.extnamespace and s.anon_uses
      cross join lateral (select count(*), max(p.proowner) as owner from pg_depend d join pg_proc p on p.oid = d.objid
        where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
          and d.deptype = 'e' and p.pronamespace = s.oid and has_function_privilege('anon', p.oid, 'EXECUTE')) f
    where f.count > 0`,
  describe: ({ name }, { relocatable, count }) => {
    const reason = `An anon key can call ${count === 1 ? 'one function' : `${count} functions`} of it at /v1/db/rpc.`
    if (!relocatable)
      return {
        reason,
        sql: null,
        decide:
          'It cannot be moved. Where its functions are dangerous, revoke EXECUTE on them from PUBLIC; else it can ' +
          'be dropped and created anew in a schema that is not exposed, with everything that uses it.',
      }
    return {
      reason,
      sql:
        'create schema if not exists extensions;\ngrant usage on schema extensions to anon, service_role;\n' +
        `alter extension ${quoteIdentifier(name)} set schema extensions;`,
      decide:
        'Set DB_EXTRA_SEARCH_PATH=extensions, so that callers’ SQL finds it by name. Functions with a search_path of ' +
        'their own, and their bodies, may need the schema too.',
    }
  },
})
