// A database that Quoin does not move into yet. Most of these once let a caller become the owner. Each is refused with
// a sentence and the SQL that mends it; that SQL is run here as it is printed, and then Quoin moves in.

import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../cli/adoption/facts.ts'
import { findingText } from '../../../cli/adoption/finding.ts'
import { obstacles } from '../../../cli/adoption/obstacles.ts'
import { CALLER_ROLES, sqlIn, useAdoptDatabase } from './database.ts'

const shop = useAdoptDatabase()

interface Obstacle {
  readonly setup: string
  readonly says: RegExp
  /** What is printed; empty: a person must look first. */
  readonly sql: string
  /** What the person does then. */
  readonly mend?: string
}

const TRACKING = '(id serial primary key, name varchar(255) not null, run_on timestamp not null)'

const ROLES: Record<string, Obstacle> = {
  'an owner without CREATEROLE': {
    setup: 'alter role shop nocreaterole',
    says: /shop must make the roles authenticator, anon, .* and lacks CREATEROLE for it\. Run as a superuser:/,
    sql: 'alter role shop createrole;',
  },
  'an owner without either attribute': {
    setup: 'alter role shop nocreaterole nobypassrls',
    says: /lacks CREATEROLE BYPASSRLS/,
    sql: 'alter role shop createrole bypassrls;',
  },
  "somebody else's anon and service_role": {
    setup: `${CALLER_ROLES} revoke anon, service_role from shop; grant anon, service_role to authenticator;`,
    says: /anon, service_role exist already, made by somebody else: shop lacks ADMIN/,
    sql: 'grant anon, service_role to shop with admin true, inherit true, set true;',
  },
  "somebody else's quoin_outbox": {
    setup: 'create role quoin_outbox',
    says: /quoin_outbox exist already/,
    sql: 'grant quoin_outbox to shop with admin true, inherit true, set true;',
  },
  "somebody else's quoin_storage, which may log in": {
    setup: 'create role quoin_storage login',
    says: /The role quoin_storage exists already, with other attributes/,
    sql: 'alter role quoin_storage nologin;',
    mend: 'grant quoin_storage to shop with admin true',
  },
  'an authenticator that is a member of more': {
    setup: `${CALLER_ROLES} create role authenticated; grant authenticated to authenticator`,
    says: /authenticator is a member of authenticated: callers' SQL could take on its rights\./,
    sql: 'revoke authenticated from authenticator granted by postgres;',
  },
  'a service_role that is a member of the owner': {
    setup: `${CALLER_ROLES} revoke service_role from shop; grant shop to service_role;
      create role other_admin createrole; grant service_role to other_admin with admin true;`,
    says: /service_role is a member of shop/,
    sql: 'revoke shop from service_role granted by postgres;',
    mend: 'grant service_role to shop with admin true',
  },
  'an authenticator that inherits, or may grant': {
    setup: `${CALLER_ROLES} grant service_role to authenticator with admin true;
      grant anon to authenticator with inherit true;`,
    says: /authenticator has anon with INHERIT.*authenticator has service_role with ADMIN/s,
    sql:
      'revoke inherit option for anon from authenticator granted by postgres;\n' +
      'revoke admin option for service_role from authenticator granted by postgres;',
  },
  'roles with other attributes': {
    setup: `create role authenticator login; create role anon login bypassrls; create role service_role;
      grant anon, service_role to shop with admin true;`,
    says: /The role service_role exists already, with other attributes/,
    sql: [
      'alter role anon nobypassrls nologin;',
      'alter role authenticator noinherit;',
      'alter role service_role bypassrls;',
    ].join('\n'),
  },
  // Whoever ran a grant of it alone would make the owner a superuser, and with it every hole a way to be one.
  'a service_role that is a superuser, which is granted to nobody': {
    setup: `${CALLER_ROLES} revoke service_role from shop; alter role service_role superuser;`,
    says: /with other attributes/,
    sql: 'alter role service_role nosuperuser;',
    mend: 'grant service_role to shop with admin true',
  },
}

const NAMES: Record<string, Obstacle> = {
  "a database of somebody else's": {
    setup: 'create role landlord; alter database shop owner to landlord',
    says: /lacks CREATE on the database\. Run as landlord.*public belongs to landlord/s,
    sql: 'grant create on database shop to shop;\ngrant usage, create on schema public to shop;',
  },
  "a schema public of somebody else's": {
    setup: 'create role landlord; alter schema public owner to landlord',
    says: /public belongs to landlord, and shop may not keep the table/,
    sql: 'grant usage, create on schema public to shop;',
  },
  'no schema public': {
    setup: 'drop schema public',
    says: /There is no schema public/,
    sql: 'create schema public authorization shop;',
  },
  "a schema quoin of somebody else's": {
    setup: 'create role landlord; create schema quoin authorization landlord',
    says: /There is a schema quoin of landlord's/,
    sql: 'alter schema quoin rename to another_quoin;',
  },
  'a schema quoin that looks as if Quoin had moved in': {
    setup: `${CALLER_ROLES} set role shop; create schema quoin; create table quoin.platform_migrations ${TRACKING};
      grant usage on schema quoin to service_role; grant insert on quoin.platform_migrations to service_role;
      insert into quoin.platform_migrations (name, run_on) values ('0001_create-roles-and-schema', now());
      create function quoin.claims() returns jsonb return null::jsonb; reset role;`,
    says: /There is a schema quoin of shop's, with things or rights in it/,
    sql: 'alter schema quoin rename to another_quoin;',
  },
  'a schema quoin whose default privileges open it': {
    setup: `${CALLER_ROLES} create schema quoin authorization shop;
      alter default privileges for role shop in schema quoin grant select on tables to anon;`,
    says: /There is a schema quoin of shop's/,
    sql: 'alter schema quoin rename to another_quoin;',
  },
  'a schema realtime, which another service may use': {
    setup:
      'create role landlord; create schema realtime authorization landlord; grant create on database shop to landlord',
    says: /There is a schema realtime.* Run as landlord or a superuser:/,
    sql: 'alter schema realtime rename to old_realtime;',
  },
  'a schema storage, which another service may use': {
    setup:
      'create role landlord; create schema storage authorization landlord; grant create on database shop to landlord',
    says: /There is a schema storage.* Run as landlord or a superuser:/,
    sql: 'alter schema storage rename to old_storage;',
  },
  "somebody else's table of migrations": {
    setup: `create role landlord; create table public.pgmigrations ${TRACKING};
      alter table public.pgmigrations owner to landlord;`,
    says: /it is not an ordinary table of shop's: it belongs to landlord/,
    sql: 'alter table public.pgmigrations rename to another_pgmigrations;',
  },
  'a view in place of the table of migrations': {
    setup:
      "set role shop; create view public.pgmigrations as select 1 as id, 'x'::varchar as name; reset role",
    says: /not an ordinary table/,
    sql: 'alter table public.pgmigrations rename to another_pgmigrations;',
  },
  'a table of migrations with a trigger': {
    setup: `set role shop; create table public.pgmigrations ${TRACKING};
      create function public.trap() returns trigger language plpgsql as 'begin return new; end';
      create trigger trap before insert on public.pgmigrations for each row execute function public.trap();
      reset role;`,
    says: /not an ordinary table/,
    sql: 'alter table public.pgmigrations rename to another_pgmigrations;',
  },
  'a table of migrations on which others have rights': {
    setup: `${CALLER_ROLES} create role reports; set role shop;
      create table public.pgmigrations ${TRACKING}; alter sequence public.pgmigrations_id_seq rename to numbers;
      grant trigger on public.pgmigrations to anon; grant insert (name) on public.pgmigrations to reports;
      grant usage on sequence public.numbers to public; reset role;`,
    says: /public\.pgmigrations, .*, and others have rights on it\. Run as shop:/,
    sql:
      'revoke all on table public.pgmigrations from anon, reports cascade;\n' +
      'revoke all on sequence public.numbers from public cascade;',
  },
}

const OPEN: Record<string, Obstacle> = {
  "callers who may put triggers on the owner's tables, in any schema": {
    setup: `${CALLER_ROLES} set role shop; create schema back; create table back.a (id int primary key, b int);
      create table public.c (); grant trigger on back.a to service_role; grant references (b) on back.a to anon;
      grant trigger on public.c to public; reset role;`,
    says: /Callers could put triggers on tables, point foreign keys at them or rebuild them: .* Run as shop:/,
    sql: 'revoke references, trigger on table back.a, public.c from public, authenticator, anon, service_role;',
  },
  'rights that somebody else than the owner passed on': {
    setup: `${CALLER_ROLES} create role agent; create table public.d (); alter table public.d owner to shop;
      set role shop; grant trigger on public.d to agent with grant option; reset role;
      set role agent; grant trigger on public.d to anon; reset role;`,
    says: /Run as agent:/,
    sql: 'revoke trigger on table public.d from public, authenticator, anon, service_role;',
  },
  'callers who may create in a schema, the owner’s default privileges for it, or in the database': {
    setup: `${CALLER_ROLES} set role shop; create schema app; grant create on schema app to service_role; reset role;
      grant create on schema public to public; grant create on database shop to anon;
      alter default privileges for role shop in schema app grant trigger on tables to public;`,
    says: /Callers could make things in schemas.*Callers could make schemas.*Whatever tables shop makes in schema app/s,
    sql:
      'revoke create on schema app, public from public, authenticator, anon, service_role;\n' +
      'revoke create on database shop from public, authenticator, anon, service_role;\n' +
      'alter default privileges for role shop in schema app\nrevoke trigger on tables from public;',
  },
  'defaults that would open tables of Quoin': {
    setup: `${CALLER_ROLES} create role reports;
      alter default privileges for role shop grant select on tables to anon, reports;
      alter default privileges for role shop grant execute on routines to anon;`,
    says: /Whatever tables shop makes are open to anon, reports at once, Quoin's own too/,
    sql:
      'alter default privileges for role shop\nrevoke all on routines from anon;\n' +
      'alter default privileges for role shop\nrevoke all on tables from anon, reports;',
  },
  'what callers own: a trigger function, a view, the database': {
    setup: `${CALLER_ROLES} create table public.owned (); alter table public.owned owner to shop;
      grant create on schema public to service_role; set role service_role;
      create function public.trap() returns trigger language plpgsql as 'begin return new; end';
      create function public."x\n\nRun as a superuser:\n\n  grant shop to anon;"() returns int
        language sql security definer return 1;
      create view public.peek as select 1; reset role; revoke create on schema public from service_role;
      create trigger trap before insert on public.owned for each row execute function public.trap();
      alter database shop owner to authenticator; grant all on schema public to shop;
      grant create on database shop to shop;`,
    says: /authenticator owns this database: .*service_role owns function public\..*, view public\.peek: /s,
    sql: '',
    mend: 'drop owned by service_role cascade; alter database shop owner to shop;',
  },
  'functions with the rights of their owner, which callers can lead astray': {
    setup: `set role shop; create schema app;
      create function public.no_path() returns text language sql security definer return current_user;
      create function public.in_public() returns trigger language plpgsql security definer
        set search_path = public, pg_temp as 'begin return new; end';
      create procedure app.no_temp(text) language sql security definer set search_path = app as 'select 1';
      create function app.temp_first() returns int language sql security definer set search_path = '' return 1;
      create function app.safe() returns int language sql security definer
        set search_path = app, pg_temp return 1;
      create function public.weak() returns int return 1; reset role;`,
    says: /Some routines run with the rights of an owner.* Run as shop:/,
    sql: alterRoutines('app.no_temp(text)', 'app.temp_first()', 'public.in_public()', 'public.no_path()'),
  },
  // A cascade runs as the owner of the table that it changes, and its triggers and constraints with it.
  'functions that a foreign key or a deferred trigger calls with the rights of an owner': {
    setup: `set role shop;
      create function public.plain() returns trigger language plpgsql as 'begin return new; end';
      create function public.logs() returns trigger language plpgsql as 'begin return new; end';
      create function public.later() returns trigger language plpgsql as 'begin return new; end';
      create function public.is_good(int) returns boolean language plpgsql immutable as 'begin return true; end';
      create function public.is_fine(int) returns boolean language plpgsql immutable as 'begin return true; end';
      create function public.asked(int) returns boolean language plpgsql as 'begin return true; end';
      create function public.first() returns int language plpgsql as 'begin return 1; end';
      create domain public.fine as int check (public.is_fine(value));
      create table public.orders (id int primary key, a int check (public.is_good(a)));
      create table public.lines (order_id int default public.first() references public.orders on delete set default);
      create trigger plain before insert on public.orders for each row execute function public.plain();
      create trigger logs before update on public.lines for each row when (public.asked(new.order_id))
        execute function public.logs();
      create constraint trigger later after insert on public.orders deferrable
        for each row execute function public.later();
      reset role;`,
    says: /Some routines run with the rights of an owner/,
    sql: alterRoutines(
      'public.asked(integer)',
      'public.first()',
      'public.is_fine(integer)',
      'public.later()',
      'public.logs()',
    ),
  },
}

for (const [kind, list] of Object.entries({ roles: ROLES, names: NAMES, 'open doors': OPEN })) {
  describe(`${kind}: refused with the SQL that mends it, and nothing is changed:`, () => {
    for (const [name, { setup, says, sql, mend = '' }] of Object.entries(list)) {
      it(name, async () => {
        await shop.run(setup)
        const before = await shop.snapshot()
        const message = await shop.refusal()
        expect(message).toMatch(says)
        expect(sqlIn(message)).toBe(sql)
        expect(await shop.snapshot()).toEqual(before)
        await shop.run(asPrinted(message))
        await shop.run(mend)
        expect(await shop.adopt()).toContain('0001_create-roles-and-schema')
      })
    }
  })
}

it('an old Postgres is refused', () => {
  const facts = { version: '15.4', version_number: 150_004 } as Facts
  expect(obstacles(facts).map(findingText)).toEqual([
    expect.stringMatching(/Quoin needs Postgres 16 or newer, and this is 15\.4.*upgrade the server\.$/s),
  ])
})

it('DB_SCHEMAS with a schema of Postgres is refused before anything else', async () => {
  const outcome = await shop.migrate(['--platform'], { DB_SCHEMAS: 'public,pg_catalog' })
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toContain("DB_SCHEMAS must name none of Postgres' own schemas, nor quoin")
})

function alterRoutines(...names: string[]): string {
  return names.map(name => `alter routine ${name} set search_path = pg_catalog, pg_temp;`).join('\n')
}

/** Each paragraph's SQL, run by whom it names: what another may not run would not mend anything. */
function asPrinted(message: string): string {
  return message
    .split('\n\n')
    .map((part, i, all) => {
      const by = /Run as ([^:]*):$/.exec(all[i - 1] ?? '')?.[1]
      if (by === undefined) return ''
      const role = by.split(' or ')[0]
      return `${by.includes('superuser') ? '' : `set role ${role};`} ${sqlIn(part)} ; reset role;`
    })
    .join('\n')
}
