// Why Quoin's own migrations cannot run in a database, or must not: afterwards callers run SQL there as anon and
// service_role, and could become somebody stronger. Refuses broadly. Pure.
//
// Nothing printed here makes anybody more dangerous, also when only some of it is run.

import {
  CALLERS,
  ROLES,
  type RoleName,
  SUPABASE_ROLES,
  type SupabaseRole,
  USER_ROLE,
} from '../support/own-roles.ts'
import type { Attributes, Facts } from './facts.ts'
import type { Finding } from './finding.ts'

const VERSION_NUMBER_MIN = 160_000
const SUPERUSER = 'a superuser'

/** What each role may be, and nothing else: callers' SQL runs as these. */
const WEAK = { superuser: false, createrole: false, createdb: false, replication: false, bypassrls: false }
const ATTRIBUTES: Readonly<Record<RoleName | SupabaseRole, Attributes>> = {
  authenticator: { ...WEAK, login: true, inherit: false },
  anon: { ...WEAK, login: false },
  service_role: { ...WEAK, login: false, bypassrls: true },
  quoin_outbox: { ...WEAK, login: false },
  quoin_storage: { ...WEAK, login: false },
  authenticated: { ...WEAK, login: false },
  supabase_auth_admin: { ...WEAK, login: false },
}

/** In the order in which one would mend them; empty when the migrations can run. */
export function obstacles(facts: Facts): Finding[] {
  if (facts.version_number < VERSION_NUMBER_MIN) return [oldPostgres(facts)]
  return [
    ...roleObstacles(facts, ROLES),
    ...closedDatabase(facts),
    ...closedPublic(facts),
    ...takenNames(facts),
    ...facts.owned.map(ownedByCallers),
    ...facts.excess.map(rights => excessRights(facts, rights)),
    ...facts.defaults.map(excessDefaults),
    ...facts.exposed.map(routines => exposedRoutines(routines, 'pg_catalog, pg_temp')),
    // The statements before this one name what is in the schema.
    ...takenSchemas(facts, ['storage', 'realtime']),
  ]
}

/**
 * Once Quoin has moved in: why signed-in persons may not get a role of their own yet. `makesOwner`: the role that owns
 * the schema `auth` is to be made too.
 */
export function obstaclesOfUsers(facts: Facts, { makesOwner }: { makesOwner: boolean }): Finding[] {
  return [
    ...roleObstacles(facts, makesOwner ? SUPABASE_ROLES : [USER_ROLE], [...GRANTED, USER_ROLE]),
    ...closedDatabase(facts),
    ...facts.owned.filter(({ role }) => role === USER_ROLE).map(ownedByCallers),
    ...facts.excess.map(rights => excessRights(facts, rights)),
    ...facts.defaults.map(excessDefaults),
    // Functions of Supabase find those of extensions by name.
    ...facts.exposed.map(routines => exposedRoutines(routines, 'pg_catalog, extensions, pg_temp')),
  ]
}

/** What a part that came later needs: roles, and a schema of its own. */
export interface LaterPart {
  readonly roles: readonly RoleName[]
  readonly schema: 'storage' | 'realtime'
}

/** Why that cannot be made in a database that Quoin was in before. */
export function laterObstacles(facts: Facts, parts: readonly LaterPart[]): Finding[] {
  if (parts.length === 0) return []
  const roles = parts.flatMap(part => part.roles)
  const schemas = parts.map(({ schema }) => schema)
  return [...roleObstacles(facts, roles), ...closedDatabase(facts), ...takenSchemas(facts, schemas)]
}

/** What authenticator may act as. */
const GRANTED: readonly string[] = ['anon', 'service_role']

/** Of these roles alone. */
function roleObstacles(all: Facts, names: readonly string[], granted = GRANTED): Finding[] {
  const facts = {
    ...all,
    roles: all.roles.filter(({ name }) => names.includes(name)),
    memberships: all.memberships.filter(({ member, role }) => names.includes(member) || names.includes(role)),
  }
  return [
    ...missingAttributes(facts, names),
    ...missingAdmin(facts),
    ...facts.roles.flatMap(role => wrongAttributes(role) ?? []),
    ...facts.memberships.flatMap(membership => excessMembership(membership, granted)),
  ]
}

function oldPostgres({ version }: Facts): Finding {
  return {
    what:
      `Quoin needs Postgres 16 or newer, and this is ${version}: before 16 a role could not be taken on without ` +
      'inheriting its rights. No statement mends that: upgrade the server.',
  }
}

function missingAttributes({ owner, roles }: Facts, names: readonly string[]): Finding[] {
  const missing = names.filter(name => !roles.some(role => role.name === name))
  const wanted = [
    ...(missing.length > 0 ? ['createrole'] : []),
    ...(missing.includes('service_role') ? ['bypassrls'] : []),
  ].filter(attribute => !owner.attributes[attribute])
  if (wanted.length === 0 || owner.attributes['superuser']) return []
  const attributes = wanted.join(' ')
  const what =
    `${owner.name} must make the role${missing.length === 1 ? '' : 's'} ${missing.join(', ')}, and lacks ` +
    `${attributes.toUpperCase()} for it.`
  return [{ what, mend: { by: SUPERUSER, sql: `alter role ${owner.name} ${attributes};` } }]
}

/**
 * A role that is stronger than it may be is not granted to anybody until that has been mended. ADMIN on authenticator
 * is wanted for its password only, which somebody else may set.
 */
function missingAdmin({ owner, roles, memberships }: Facts): Finding[] {
  const closed = roles.filter(({ name, is_grantable }) => name !== 'authenticator' && !is_grantable)
  const weak = closed.filter(role => !wrongAttributes(role) && memberships.every(m => m.member !== role.name))
  if (weak.length === 0) return []
  const names = weak.map(({ name }) => name).join(', ')
  return [
    {
      what: `${names} exist already, made by somebody else: ${owner.name} lacks ADMIN, and may not grant them.`,
      mend: {
        by: SUPERUSER,
        sql: `grant ${names} to ${owner.name} with admin true, inherit true, set true;`,
      },
    },
  ]
}

function wrongAttributes({ name, attributes }: Facts['roles'][number]): Finding | undefined {
  const wrong = Object.entries(ATTRIBUTES[name]).filter(([key, value]) => attributes[key] !== value)
  if (wrong.length === 0) return undefined
  const sql = wrong.map(([attribute, value]) => (value ? attribute : `no${attribute}`)).join(' ')
  return {
    what:
      `The role ${name} exists already, with other attributes than callers may have. Change it if nobody else ` +
      'needs it as it is.',
    mend: { by: SUPERUSER, sql: `alter role ${name} ${sql};` },
  }
}

function excessMembership(
  { member, role, grantor, has_admin, inherits }: Facts['memberships'][number],
  granted: readonly string[],
): Finding[] {
  const by = `${grantor} or ${SUPERUSER}`
  if (member !== 'authenticator' || !granted.includes(role)) {
    const isOfUsers = member === 'authenticator' && role === USER_ROLE
    return [
      {
        what:
          `${member} is a member of ${role}: callers' SQL could take on its rights. ` +
          `Whatever else logs in as ${member} loses them too.` +
          (isOfUsers ? ' Once Quoin has moved in, npm run adopt -- supabase gives it that role again.' : ''),
        mend: { by, sql: `revoke ${role} from ${member} granted by ${grantor};` },
      },
    ]
  }
  const options = [...(has_admin ? ['admin'] : []), ...(inherits ? ['inherit'] : [])]
  return options.map(option => ({
    what: `${member} has ${role} with ${option.toUpperCase()}: callers could have its rights without asking for them.`,
    mend: { by, sql: `revoke ${option} option for ${role} from ${member} granted by ${grantor};` },
  }))
}

function closedDatabase({ owner, database }: Facts): Finding[] {
  if (database.may_create_schema) return []
  return [
    {
      what: `${owner.name} may not make schemas: it lacks CREATE on the database.`,
      mend: { by: database.owner, sql: `grant create on database ${database.name} to ${owner.name};` },
    },
  ]
}

function closedPublic({ owner, database, public_schema }: Facts): Finding[] {
  if (public_schema === null) {
    const what = 'There is no schema public, and the table of your migrations is kept there.'
    return [{ what, mend: { by: SUPERUSER, sql: `create schema public authorization ${owner.name};` } }]
  }
  if (public_schema.may_create) return []
  const landlord = public_schema.owner === 'pg_database_owner' ? database.owner : public_schema.owner
  return [
    {
      what: `public belongs to ${landlord}, and ${owner.name} may not keep the table of your migrations there.`,
      mend: { by: landlord, sql: `grant usage, create on schema public to ${owner.name};` },
    },
  ]
}

function takenNames({ owner, quoin_schema, user_migrations }: Facts): Finding[] {
  const found: Finding[] = []
  if (quoin_schema !== null && !quoin_schema.is_empty) {
    found.push({
      what:
        `There is a schema quoin of ${quoin_schema.owner}'s, with things or rights in it that are not ` +
        `${owner.name}'s. If Quoin is in this database already, DATABASE_URL must name the role that moved it in. ` +
        'Else give the schema another name.',
      mend: {
        by: `${quoin_schema.owner} or ${SUPERUSER}`,
        sql: 'alter schema quoin rename to another_quoin;',
      },
    })
  }
  if (user_migrations !== null) found.push(...takenUserMigrations(owner.name, user_migrations))
  return found
}

const KEPT_THERE: Readonly<Record<LaterPart['schema'], string>> = {
  storage: 'files',
  realtime: 'messages',
}

function takenSchemas({ taken_schemas }: Facts, schemas: readonly LaterPart['schema'][]): Finding[] {
  return schemas.flatMap(schema => {
    const taken = taken_schemas.find(({ name }) => name === schema)
    if (taken === undefined) return []
    const what =
      `There is a schema ${schema}, and Quoin keeps its ${KEPT_THERE[schema]} in one of its own by this name. ` +
      'Whatever else uses it no longer finds it under another name. docs/adopt.md says how to move from Supabase.'
    const sql = `alter schema ${schema} rename to old_${schema};`
    return [{ what, mend: { by: `${taken.owner} or ${SUPERUSER}`, sql } }]
  })
}

function takenUserMigrations(owner: string, table: NonNullable<Facts['user_migrations']>): Finding[] {
  const what = 'There is a table public.pgmigrations, where the names of your migrations are kept'
  if (table.owner === owner && table.is_inert) {
    if (table.opened.length === 0) return []
    const sql = table.opened.map(
      ({ kind, name, grantees }) => `revoke all on ${kind} ${name} from ${grantees} cascade;`,
    )
    return [{ what: `${what}, and others have rights on it.`, mend: { by: owner, sql: sql.join('\n') } }]
  }
  return [
    {
      what:
        `${what}, and it is not an ordinary table of ${owner}'s: it belongs to ${table.owner}, is a view, or has ` +
        'triggers, rules, policies or children. Mend that if it holds migrations of yours. Else give it another name.',
      mend: {
        by: `${table.owner} or ${SUPERUSER}`,
        sql: 'alter table public.pgmigrations rename to another_pgmigrations;',
      },
    },
  ]
}

const SHOWN_MAX = 10

/** No SQL: a function or view of theirs that changed hands would run their text with the rights of its new owner. */
function ownedByCallers({ role, objects }: Facts['owned'][number]): Finding {
  const shown = objects.slice(0, SHOWN_MAX).join(', ')
  const more = objects.length > SHOWN_MAX ? ` and ${objects.length - SHOWN_MAX} more` : ''
  return {
    what:
      `${role} owns ${shown}${more}: whoever sends SQL could change these. Drop each, or give it another owner with ` +
      'ALTER ... OWNER TO. Read a function, view or trigger first, since it then runs with the rights of that owner.',
  }
}

const WHY: Readonly<Record<Facts['excess'][number]['kind'], string>> = {
  table:
    'put triggers on tables, point foreign keys at them or rebuild them: that runs code with the rights of others',
  schema: 'make things in schemas: what runs with the rights of others could find those in place of its own',
  database: 'make schemas and install extensions',
}

function excessRights({ roles }: Facts, rights: Facts['excess'][number]): Finding {
  const { kind, grantor, privileges, objects } = rights
  const callers = [...CALLERS, USER_ROLE].filter(name => roles.some(role => role.name === name))
  const sql = `revoke ${privileges} on ${kind} ${objects.join(', ')} from ${['public', ...callers].join(', ')};`
  return { what: `Callers could ${WHY[kind]}.`, mend: { by: grantor, sql } }
}

function excessDefaults({ role, schema, kind, privileges, grantees }: Facts['defaults'][number]): Finding {
  const where = schema === null ? '' : ` in schema ${schema}`
  const what =
    privileges === 'all'
      ? `Whatever ${kind} ${role} makes are open to ${grantees} at once, Quoin's own too.`
      : `Whatever ${kind} ${role} makes${where}, ${grantees} could put triggers on, point foreign keys at or rebuild.`
  const sql = `alter default privileges for role ${role}${where}\n  revoke ${privileges} on ${kind} from ${grantees};`
  return { what, mend: { by: role, sql } }
}

function exposedRoutines({ owner, routines }: Facts['exposed'][number], path: string): Finding {
  return {
    what:
      'Some routines run with the rights of an owner, also when a caller is the cause: they are SECURITY DEFINER, or ' +
      'belong to triggers or constraints of a table that a foreign key changes, or to a trigger that can be ' +
      'deferred. Callers could have them find things of their own, since they have no search path that leaves out ' +
      'public and ends with pg_temp. First write the schema before each name in their bodies.',
    mend: {
      by: owner,
      sql: routines.map(name => `alter routine ${name} set search_path = ${path};`).join('\n'),
    },
  }
}
