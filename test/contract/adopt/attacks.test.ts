// A caller of a database that exists who wants to become its owner. Each of these attacks once succeeded. They need no
// right to make anything but temporary objects: a domain `text` or a view of their own stands in for what a function of
// the owner's means.

import { expect, it } from 'vitest'
import { CALLER_ROLES, sqlIn, useAdoptDatabase } from './database.ts'

const shop = useAdoptDatabase()

const SHOP = `${CALLER_ROLES} grant anon, service_role to authenticator; set role shop;
  create function public.definer() returns text language plpgsql security definer set search_path = ''
    as $$ begin return 1::text; end $$;
  create function public.reader() returns bigint language plpgsql security definer set search_path = ''
    as $$ begin return (select count(*) from pg_roles); end $$;
  create function public.noted() returns trigger language plpgsql as
    $$ begin perform new.a::text; return coalesce(new, old); end $$;
  create function public.is_good(a int) returns boolean language plpgsql immutable as
    $$ begin return a::text <> 'x'; end $$;
  create function public.counted() returns bigint language plpgsql as
    $$ begin return (select count(*) from orders); end $$;
  create table public.orders (id int primary key);
  create table public.lines (a int, order_id int references public.orders on delete cascade);
  create table public.notes (a int check (public.is_good(a)), order_id int references public.orders on update cascade);
  insert into public.orders values (1), (2);
  insert into public.lines values (1, 1);
  insert into public.notes values (1, 2);
  create trigger noted before delete on public.lines for each row execute function public.noted();
  create table public.queued (a int);
  create constraint trigger noted after insert on public.queued deferrable initially deferred
    for each row execute function public.noted();
  create function public.put() returns void language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$ begin insert into public.queued values (1); end $$;
  create materialized view public.totals as select public.counted() as n with no data;
  grant select, update, delete on public.orders to service_role;
  grant maintain on public.totals to service_role;
  reset role;
`

const ATTACKS: Readonly<Record<string, string>> = {
  'a type in a SECURITY DEFINER function with an empty path': 'select public.definer()',
  'a view in one': 'select public.reader()',
  'a trigger that a cascade fires': 'delete from public.orders where id = 1',
  'a constraint that a cascade checks': 'update public.orders set id = 3 where id = 2',
  'a deferred trigger, after the function that queued it': 'select public.put()',
  'a materialized view that callers may refresh': 'refresh materialized view public.totals',
}

/** As whom the caller's own function runs, by attack. */
async function rolesReached(): Promise<Record<string, string[]>> {
  const reached: Record<string, string[]> = {}
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const roles = new Set<string>()
    const caller = await shop.connect('authenticator', 'service_role')
    caller.on('notice', ({ message = '' }) => roles.add(message))
    await caller.query(`
      create function pg_temp.spy() returns boolean language plpgsql as
        $$ begin raise notice '%', current_user; return true; end $$;
      create domain pg_temp.text as pg_catalog.text check (pg_temp.spy());
      create view pg_temp.pg_roles as select 1 where pg_temp.spy();
      create view pg_temp.orders as select 1 where pg_temp.spy();
    `)
    await caller.query('begin')
    await caller.query(attack).catch(() => undefined)
    await caller.query('set constraints all immediate').catch(() => undefined)
    await caller.query('rollback')
    reached[name] = [...roles].filter(role => role !== 'service_role')
  }
  return reached
}

const everywhere = (roles: readonly string[]) =>
  Object.fromEntries(Object.keys(ATTACKS).map(name => [name, roles]))

it('reaches the owner before Quoin moves in, and nobody after the SQL that is printed', async () => {
  await shop.run(SHOP)
  expect(await rolesReached()).toEqual(everywhere(['shop']))
  await shop.run(sqlIn(await shop.refusal()))
  await shop.adopt()
  await shop.run("alter role authenticator password 'AUTHENTICATOR'")
  expect(await rolesReached()).toEqual(everywhere([]))
})

it('is not given a function that runs any SQL as the owner and that nobody could call', async () => {
  await shop.run(`set role shop; create function public.run(text) returns void language plpgsql security definer
    set search_path = pg_catalog, pg_temp as 'begin execute $1; end'; revoke execute on function public.run from public;
    create function public.plain() returns int return 1; revoke execute on function public.plain from public;
    reset role`)
  await shop.adopt()
  const rows = await shop.run(`select name, has_function_privilege('service_role', name, 'execute') as may
    from unnest('{public.run(text),public.plain()}'::text[]) name`)
  expect(rows).toEqual([
    { name: 'public.run(text)', may: false },
    { name: 'public.plain()', may: true },
  ])
})

it('makes nothing that lasts, where there were tables before', async () => {
  await shop.run('set role shop; create table public.orders (id int); reset role')
  await shop.adopt()
  await shop.run("alter role authenticator password 'AUTHENTICATOR'")
  for (const role of ['anon', 'service_role', 'authenticator']) {
    const caller = await shop.connect('authenticator', role)
    const { rows } = await caller.query(`
      select nspname from pg_namespace where nspname !~ '^pg_(toast|temp)' and has_schema_privilege(oid, 'create')
      union all select datname from pg_database where has_database_privilege(oid, 'create')`)
    expect([role, rows]).toEqual([role, []])
  }
})
