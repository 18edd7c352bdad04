// What is in a database, as facts that are the same after a restore. Expressions are left out: Postgres writes them
// otherwise after it has read what it wrote. That they are there is said. Independent of pg_dump, which it checks.

import type { Client } from 'pg'
import * as z from 'zod'

export const ObjectFact = z.object({ kind: z.string(), name: z.string(), fact: z.string() })
export type ObjectFact = z.infer<typeof ObjectFact>

/** Objects with smaller oids were there when the cluster was made. */
export const FIRST_OID_OF_USERS = 16_384

/**
 * What is not told apart by its name alone. `o` is the object's row in its catalog. An index keeps the former names of
 * its columns, which are nobody's business.
 */
const FACTS: Readonly<Record<string, readonly string[]>> = {
  pg_class: [
    'o.relkind',
    'o.relpersistence',
    'pg_get_userbyid(o.relowner)',
    'o.relrowsecurity',
    'o.relforcerowsecurity',
    'o.relispartition',
    'o.relreplident',
    sorted('o.reloptions'),
    aclOf("case o.relkind when 'S' then 's' else 'r' end::\"char\"", 'o.relacl', 'o.relowner'),
    `(select jsonb_agg(jsonb_build_array(case when o.relkind not in ('i', 'I') then a.attname end,
        format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
        a.atthasdef, a.attstorage, a.attcompression, a.attcollation::regcollation,
        col_description(o.oid, a.attnum), ${sorted('a.attoptions')}, ${aclOf(`'c'::"char"`, 'a.attacl', 'o.relowner')})
        order by case when o.relkind not in ('i', 'I') then a.attname end, a.attnum)
      from pg_attribute a where a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped)`,
    `(select jsonb_build_array(i.indisunique, i.indisprimary, i.indisexclusion, i.indimmediate, i.indisvalid,
        i.indisreplident, i.indnkeyatts, i.indnatts, i.indpred is not null, i.indoption::text)
      from pg_index i where i.indexrelid = o.oid)`,
  ],
  pg_proc: [
    'pg_get_userbyid(o.proowner)',
    'o.prokind',
    'md5(o.prosrc)',
    'o.prosecdef',
    'o.provolatile',
    'o.proisstrict',
    'o.proleakproof',
    'o.proparallel',
    'o.proconfig',
    'o.prorettype::regtype',
    'o.proretset',
    'pg_get_function_arguments(o.oid)',
    '(select lanname from pg_language where oid = o.prolang)',
    aclOf(`'f'::"char"`, 'o.proacl', 'o.proowner'),
  ],
  pg_type: [
    'pg_get_userbyid(o.typowner)',
    'o.typtype',
    'o.typnotnull',
    'format_type(nullif(o.typbasetype, 0), o.typtypmod)',
    '(select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = o.oid)',
    `case when o.typtype in ('d', 'e', 'r') then ${aclOf(`'T'::"char"`, 'o.typacl', 'o.typowner')} end`,
  ],
  pg_constraint: [
    'o.contype',
    'o.condeferrable',
    'o.condeferred',
    'o.convalidated',
    "case o.contype when 'c' then o.connoinherit end",
    'o.confrelid::regclass',
    'o.confupdtype',
    'o.confdeltype',
    'o.confmatchtype',
    `(select jsonb_agg(a.attname order by k.place) from unnest(o.conkey) with ordinality k (attnum, place)
      join pg_attribute a on a.attrelid = o.conrelid and a.attnum = k.attnum)`,
    `(select jsonb_agg(a.attname order by k.place) from unnest(o.confkey) with ordinality k (attnum, place)
      join pg_attribute a on a.attrelid = o.confrelid and a.attnum = k.attnum)`,
  ],
  pg_trigger: [
    'o.tgfoid::regprocedure',
    'o.tgtype',
    'o.tgenabled',
    'o.tgdeferrable',
    'o.tginitdeferred',
    'o.tgargs',
    'o.tgqual is not null',
    'o.tgoldtable',
    'o.tgnewtable',
  ],
  pg_policy: [
    'o.polcmd',
    'o.polpermissive',
    'o.polqual is not null',
    'o.polwithcheck is not null',
    `(select jsonb_agg(case r when 0 then 'public' else pg_get_userbyid(r) end order by 1) from unnest(o.polroles) r)`,
  ],
  pg_namespace: ['pg_get_userbyid(o.nspowner)', aclOf(`'n'::"char"`, 'o.nspacl', 'o.nspowner')],
  pg_default_acl: [aclOf('o.defaclobjtype', 'o.defaclacl', 'o.defaclrole')],
  pg_event_trigger: ['o.evtevent', 'o.evtfoid::regprocedure', 'o.evtenabled', 'o.evttags'],
  pg_publication: ['o.puballtables', 'o.pubinsert', 'o.pubupdate', 'o.pubdelete', 'o.pubtruncate'],
  pg_rewrite: ['o.ev_type', 'o.ev_enabled', 'o.is_instead'],
  pg_attrdef: [],
  pg_extension: [],
  pg_operator: [],
  pg_opclass: [],
  pg_opfamily: [],
  pg_cast: [],
  pg_collation: [],
  pg_conversion: [],
  pg_language: [],
  pg_statistic_ext: [],
  pg_ts_config: [],
  pg_ts_dict: [],
  pg_foreign_server: [],
  pg_foreign_data_wrapper: [],
}

/** Options in an order of their own: pg_dump may write them in another than they were set. */
function sorted(options: string): string {
  return `(select jsonb_agg(s.option order by s.option) from unnest(${options}) s (option))`
}

/** Rights by name, in an order of their own; none written down are the usual ones. */
function aclOf(kind: string, acl: string, owner: string): string {
  const all = kind.includes("'c'") ? acl : `coalesce(${acl}, acldefault(${kind}, ${owner}))`
  return `(select jsonb_agg(concat_ws(' ', case x.grantee when 0 then 'public' else pg_get_userbyid(x.grantee) end,
    x.privilege_type, pg_get_userbyid(x.grantor), case when x.is_grantable then 'grantable' end) order by
    x.grantee = 0, pg_get_userbyid(x.grantee), x.privilege_type) from aclexplode(${all}) x)`
}

/** Internal triggers and toast tables have oids in their names, temporary objects and what is on them a session's. */
function sqlOf(catalog: string): string {
  const facts = [...(FACTS[catalog] ?? []), `obj_description(o.oid, '${catalog}')`]
  return `
    select d.type as kind, d.identity as name, jsonb_build_array(${facts.join(', ')})::text as fact
    from ${catalog} o cross join pg_identify_object('${catalog}'::regclass, o.oid, 0) d
    where o.oid >= ${FIRST_OID_OF_USERS} and coalesce(d.schema, '') !~ '^pg_(toast|temp_)'
      and d.identity !~ '(^|[ (])pg_temp(_[0-9]+)?[.]'
      ${catalog === 'pg_trigger' ? 'and not o.tgisinternal' : ''}
      ${catalog === 'pg_namespace' ? "and o.nspname !~ '^pg_(toast|temp)_'" : ''}
      ${catalog === 'pg_class' ? `and o.relkind <> 't' and not ${IS_LEFT_OVER}` : ''}
      ${catalog === 'pg_default_acl' ? "and pg_has_role(o.defaclrole, 'usage')" : ''}`
}

/** An index that was never whole, as CREATE INDEX CONCURRENTLY leaves one behind, is in no dump. */
const IS_LEFT_OVER = `exists (
  select from pg_index i join pg_class t on t.oid = i.indrelid
  where i.indexrelid = o.oid and not (i.indisready and (i.indisvalid or t.relkind = 'p')))`

/** The schema public was there before all users' objects, and is changed most. */
const PUBLIC_SQL = `
  select 'schema' as kind, 'public' as name,
    jsonb_build_array(${aclOf(`'n'::"char"`, 'o.nspacl', 'o.nspowner')})::text as fact
  from pg_namespace o where o.nspname = 'public'`

/** Everything that users and extensions have made. Wants a search path of nothing but pg_catalog. */
export async function readObjects(client: Client): Promise<ObjectFact[]> {
  const sql = `${[...Object.keys(FACTS).map(sqlOf), PUBLIC_SQL].join(' union all ')} order by 1, 2, 3`
  return (await client.query<ObjectFact>(sql)).rows
}

/** What one list has and the other has not, a line each. */
export function compareObjects(saved: readonly ObjectFact[], here: readonly ObjectFact[]): string[] {
  const keyOf = ({ kind, name }: ObjectFact) => `${kind} ${name}`
  const waiting = new Map(here.map(object => [keyOf(object), object]))
  const differences: string[] = []
  for (const object of saved) {
    const found = waiting.get(keyOf(object))
    waiting.delete(keyOf(object))
    if (found === undefined) differences.push(`the ${keyOf(object)} is missing`)
    else if (found.fact !== object.fact)
      differences.push(
        `the ${keyOf(object)}: ${changesIn(JSON.parse(object.fact), JSON.parse(found.fact)).join('; ')}`,
      )
  }
  return [...differences, ...[...waiting.keys()].map(key => `the ${key} is there in addition`)]
}

/** What differs between two facts, as deep within them as they can be compared. */
function changesIn(saved: unknown, here: unknown): string[] {
  if (Array.isArray(saved) && Array.isArray(here) && saved.length === here.length)
    return saved.flatMap((each, i) => changesIn(each, here[i]))
  const [was, is] = [saved, here].map(each => JSON.stringify(each))
  return was === is ? [] : [`was ${was}, and is ${is}`]
}
