// What will not work in a database into which Quoin has moved, since others own things there, or since callers' roles
// had rights there before: then Quoin gives them none. The one query needs the roles; what follows from it is pure.

import type { Client } from 'pg'
import type { Finding } from './finding.ts'

export interface LimitFacts {
  readonly owner: string
  readonly may_set_password: boolean
  /** Those of DB_SCHEMAS. */
  readonly schemas: readonly {
    readonly name: string
    /** Null: there is no such schema. */
    readonly owner: string | null
    readonly anon_uses: boolean
    readonly service_uses: boolean
    readonly service_creates: boolean
  }[]
  /** By schema and owner. */
  readonly tables: readonly {
    readonly schema: string
    readonly owner: string
    /** Those that service_role cannot read and write, and sequences it cannot draw from. */
    readonly closed_tables: readonly string[]
    readonly closed_sequences: readonly string[]
    /** How many tables no webhook can watch. */
    readonly unwatchable_count: number
  }[]
}

const VERBS = 'select, insert, update, delete'

const LIMITS_SQL = `
  select quote_ident(current_user) as owner,
    pg_has_role('authenticator', 'member with admin option') as may_set_password,
    (select coalesce(json_agg(json_build_object('name', quote_ident(wanted.name), 'owner', n.nspowner::regrole::text,
        'anon_uses', has_schema_privilege('anon', n.oid, 'usage'),
        'service_uses', has_schema_privilege('service_role', n.oid, 'usage'),
        'service_creates', has_schema_privilege('service_role', n.oid, 'create')) order by wanted.place), '[]')
      from unnest($1::text[]) with ordinality wanted (name, place)
        left join pg_namespace n on n.nspname = wanted.name) as schemas,
    (select coalesce(json_agg(t order by t.schema, t.owner), '[]') from (
      select quote_ident(n.nspname) as schema, c.relowner::regrole::text as owner,
        coalesce(json_agg(c.oid::regclass::text order by c.relname) filter (where c.relkind in ('r', 'p') and exists (
          select from unnest(string_to_array('${VERBS}', ', ')) verb
            where not has_table_privilege('service_role', c.oid, verb))), '[]') as closed_tables,
        coalesce(json_agg(c.oid::regclass::text order by c.relname) filter (where c.relkind = 'S'
          and not has_sequence_privilege('service_role', c.oid, 'usage')), '[]') as closed_sequences,
        count(*) filter (where c.relkind in ('r', 'p') and not pg_has_role(c.relowner, 'usage'))::int
          as unwatchable_count
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p', 'S')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and (d.deptype = 'e' or d.refobjid = to_regclass('public.pgmigrations')))
        and c.oid is distinct from to_regclass('public.pgmigrations')
      group by n.nspname, c.relowner) t) as tables
`

/** Reads only; `schemas` are those of DB_SCHEMAS. */
export async function readLimitFacts(client: Client, schemas: readonly string[]): Promise<LimitFacts[]> {
  return (await client.query<LimitFacts>(LIMITS_SQL, [schemas])).rows
}

export function limits({ owner, may_set_password, schemas, tables }: LimitFacts): Finding[] {
  const found = [...schemas.flatMap(schema => schemaLimits(schema, owner)), ...tables.flatMap(tableLimits)]
  if (may_set_password) return found
  const what = `${owner} lacks ADMIN on authenticator, and may not give it a password.`
  return [...found, { what, mend: { by: 'a superuser', sql: "alter role authenticator password '...';" } }]
}

function schemaLimits(schema: LimitFacts['schemas'][number], owner: string): Finding[] {
  const { name } = schema
  if (schema.owner === null) {
    const what = `DB_SCHEMAS names ${name}, and there is no such schema.`
    return [{ what, mend: { by: owner, sql: `create schema ${name};` } }]
  }
  const by = schema.owner === 'pg_database_owner' ? 'the owner of the database' : schema.owner
  const found: Finding[] = []
  const closedTo = [
    ...(schema.anon_uses ? [] : ['anon']),
    ...(schema.service_uses ? [] : ['service_role']),
  ].join(', ')
  if (closedTo !== '') {
    const what = `The schema ${name} is closed to ${closedTo}: no call finds a table in it.`
    found.push({ what, mend: { by, sql: `grant usage on schema ${name} to ${closedTo};` } })
  }
  // In schemas beside public Quoin grants nothing, so that is no surprise there. The statement stands on the page, with
  // what it opens: whoever looks for names in the schema runs what service_role made there.
  if (name === 'public' && !schema.service_creates) {
    found.push({
      what: 'service_role may not create in public: SQL with its keys can change rows, but make no tables.',
    })
  }
  return found
}

function tableLimits({
  schema,
  owner,
  closed_tables,
  closed_sequences,
  unwatchable_count,
}: LimitFacts['tables'][number]): Finding[] {
  const found: Finding[] = []
  const statements = [
    ...(closed_tables.length > 0 ? [`grant ${VERBS} on ${closed_tables.join(', ')} to service_role;`] : []),
    ...(closed_sequences.length > 0
      ? [`grant usage, select on sequence ${closed_sequences.join(', ')} to service_role;`]
      : []),
  ]
  if (statements.length > 0) {
    const count = closed_tables.length + closed_sequences.length
    found.push({
      what:
        `In ${schema} ${owner} has ${count} tables or sequences that service_role cannot read and write. ` +
        'Leave out those that its keys shall not reach.',
      mend: { by: owner, sql: statements.join('\n') },
    })
  }
  if (unwatchable_count > 0) {
    found.push({
      what: `Webhooks cannot watch tables of ${owner} in ${schema} (${unwatchable_count}): only an owner may.`,
    })
  }
  return found
}
