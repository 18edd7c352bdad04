// Moving into a database that exists, and out of it again, as docs/adopt.md says it. What is refused stands in
// adopt-refused.test.ts.

import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { CALLER_ROLES, LATER_MIGRATIONS, SUPABASE, sqlIn, sqlOfPage, useAdoptDatabase } from './database.ts'

const shop = useAdoptDatabase()

/** The SQLSTATE with which the SQL fails; 'done' when it does not. */
const outcomeOf = (client: Client, sql: string) =>
  client.query(sql).then(
    () => 'done',
    err => String(err.code),
  )

async function moveIntoSupabase(): Promise<void> {
  await shop.run(SUPABASE)
  await shop.run(sqlIn(await shop.refusal()))
}

describe("a database with Supabase's roles", () => {
  it('is moved into as docs/adopt.md says, and given back as it was', async () => {
    await shop.run(SUPABASE)
    const refused = await shop.migrate()
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).not.toMatch(/at .*\.ts|do \$do\$/)
    // What a superuser grants counts as granted by the cluster's first one: that is supabase_admin there.
    const printed = sqlIn(refused.stderr).replace('granted by postgres', 'granted by supabase_admin')
    expect(printed).toBe(sqlOfPage('supabase-missing'))
    const superuser = await shop.connect('supabase_admin')
    await superuser.query(sqlIn(refused.stderr))
    const before = await shop.snapshot()

    const applied = await shop.migrate()
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^applied: 0001/) })
    expect(applied.stderr.split('What will not work:')[1]).toMatch(
      new RegExp(
        '^\n\nservice_role may not create in public: .*[.]\n\nWebhooks cannot watch tables of supabase_admin ' +
          'in public [(]1[)]: only an owner may.\n\nshop lacks ADMIN on authenticator, and may not give it a ' +
          "password. Run as a superuser:\n\n  alter role authenticator password '...';\n$",
      ),
    )
    const owner = await shop.connect('shop')
    await owner.query("select quoin.watch_table('public.orders'::regclass, '{INSERT}')")
    const during = await shop.snapshot()
    expect(
      during.filter(fact => !before.includes(fact) && !/quoin|pgmigrations|storage|realtime/.test(fact)),
    ).toEqual(['default service_role 0f service_role=X/service_role', 'default shop 0f shop=X/shop'])
    expect(before.filter(fact => !during.includes(fact))).toEqual([])
    const caller = await shop.connect('authenticator', 'service_role')
    expect((await caller.query('select note from public.orders')).rows).toEqual([{ note: 'first' }])

    await owner.query('create policy mine on public.orders using (note = quoin.uid())')
    for (let step = LATER_MIGRATIONS; step > 0; step -= 1) expect(await shop.takeBack()).toHaveLength(1)
    const stopped = await shop.migrate(['down', '--platform'])
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringMatching(/policy mine on table/) })
    await owner.query('drop policy mine on public.orders')
    expect(await shop.takeBack()).toHaveLength(1)
    await owner.query(sqlOfPage('take-out'))
    expect(await shop.snapshot()).toEqual(before)
  })

  it('opens nothing that the owner writes to or reads: neither before nor after it moved in', async () => {
    await moveIntoSupabase()
    await shop.adopt()
    const owner = await shop.connect('shop')
    await owner.query('create table public.later (id int primary key)')
    await shop.run('grant create on schema public to service_role')
    const { rows } =
      await owner.query(`select r, t from unnest('{anon,authenticated,service_role,authenticator}'::text[]) r,
      unnest('{public.pgmigrations,quoin.platform_migrations,quoin.api_keys,quoin.found_before}'::text[]) t
      where has_table_privilege(r, t, 'select, insert, update, delete, trigger, references, truncate')`)
    expect(rows).toEqual([])
    const attacks = [
      'set role shop',
      'set role authenticated',
      'create trigger trap before insert on public.orders for each row execute function public.trap()',
      'create trigger trap before insert on public.later for each row execute function public.trap()',
      'create trigger trap before insert on public.reports for each row execute function public.trap()',
      'create trigger trap before insert on public.pgmigrations for each row execute function public.trap()',
      'create table public.point (id int references public.later (id))',
      'create function quoin.trap() returns int return 1',
      'alter table public.pgmigrations owner to service_role',
    ]
    const caller = await shop.connect('authenticator', 'service_role')
    await caller.query(
      "create function public.trap() returns trigger language plpgsql as 'begin return new; end'",
    )
    for (const sql of attacks) expect([sql, await outcomeOf(caller, sql)]).toEqual([sql, '42501'])
  })

  it('takes over buckets, owners and policies of files as docs/adopt.md says', async () => {
    await shop.run(SUPABASE)
    await shop.run(`
      insert into storage.buckets values ('letters', 'letters', true, 9, '{image/*}');
      insert into storage.objects (bucket_id, name, owner_id, user_metadata, created_at)
        values ('letters', 'ada/a.png', 'ada', '{"mood": "good"}', '2020-01-01');
      create table public.portraits as select id from storage.objects;
      alter table public.portraits add constraint portrait foreign key (id) references storage.objects;
      alter table public.portraits owner to shop;
      alter table storage.objects enable row level security;
      create policy "Own ones" on storage.objects for insert to authenticated
        with check ((storage.foldername(name))[1] = 'ada');
      create policy never on storage.objects as restrictive to authenticated using (name <> 'x');
      create policy all_read on storage.objects for select using (bucket_id = 'letters');
      create policy service on storage.objects to service_role using (true)`)
    await shop.run(sqlIn(await shop.refusal()))
    await shop.adopt()
    const owner = await shop.connect('shop')
    await owner.query(sqlOfPage('supabase-buckets'))
    // The copy, which has neither owner nor time of the former.
    await owner.query("insert into storage.objects (bucket_id, name) values ('letters', 'ada/a.png')")
    await owner.query(sqlOfPage('supabase-owners'))
    for (const { policy } of (await owner.query(sqlOfPage('supabase-policies'))).rows)
      await owner.query(policy)
    await owner.query(`alter table public.portraits drop constraint portrait,
      add constraint portrait foreign key (id) references storage.objects (id)`)
    const { rows } = await owner.query(`select b.public, b.file_size_limit, o.owner_id, o.user_metadata,
      o.created_at < '2021-01-01' as is_old from storage.buckets b join storage.objects o on o.bucket_id = b.id`)
    expect(rows).toEqual([
      {
        public: true,
        file_size_limit: '9',
        owner_id: 'ada',
        user_metadata: { mood: 'good' },
        is_old: true,
      },
    ])
    const policies = await owner.query(`
      select policyname as name, lower(concat_ws(' ', permissive, cmd, roles::text, qual, with_check)) as what
      from pg_policies where schemaname = 'storage' order by 1`)
    expect(policies.rows).toEqual([
      {
        name: 'Own ones',
        what: "permissive insert {anon} (((storage.foldername(name))[1] = 'ada'::text) and (quoin.uid() is not null))",
      },
      { name: 'all_read', what: "permissive select {anon} (bucket_id = 'letters'::text)" },
      {
        name: 'never',
        what: "restrictive all {anon} ((name <> 'x'::text) or (quoin.uid() is null))",
      },
    ])
  })

  it('says again what does not work, to whoever asks for it', async () => {
    await moveIntoSupabase()
    await shop.migrate()
    await shop.run('grant create on schema public to service_role')
    const again = await shop.migrate()
    expect(again).toMatchObject({ code: 0, stdout: 'nothing to do\n' })
    expect(sqlIn(again.stderr)).toBe("alter role authenticator password '...';")
    expect((await shop.migrate([])).stderr).not.toContain('What will not work')
  })
})

describe("a database whose public is somebody else's", () => {
  const LANDLORD = `
    create role landlord;
    alter schema public owner to landlord;
    revoke all on schema public from public;
    set role landlord;
    create table public.flats (id serial primary key, note text);
    reset role;
    create schema app authorization landlord;
    create table app.rooms (id int, note text);
    ${sqlOfPage('landlord-first')}
  `

  it('is moved into; what does not work is said with the SQL that mends it', async () => {
    await shop.run(LANDLORD)
    const env = { DB_SCHEMAS: 'public, app' }
    const applied = await shop.migrate([], env)
    expect(applied.code).toBe(0)
    expect(applied.stderr).toMatch(/The schema public is closed to anon, service_role/)
    expect(applied.stderr).toMatch(/service_role may not create in public/)
    expect(applied.stderr).toMatch(/The schema app is closed to anon, service_role/)
    expect(applied.stderr).toMatch(
      /landlord has 2 tables or sequences that service_role cannot read and write/,
    )
    await shop.run(sqlIn(applied.stderr.slice(applied.stderr.indexOf('What will not work'))))
    const again = await shop.migrate(['--platform'], env)
    expect(again).toMatchObject({ code: 0, stdout: 'nothing to do\n' })
    expect(sqlIn(again.stderr)).toBe('')
    await shop.run(`
      alter role authenticator password 'AUTHENTICATOR';
      set role landlord;
      ${sqlOfPage('landlord-defaults')}
      create table public.houses (id serial primary key, note text);
    `)
    const caller = await shop.connect('authenticator', 'service_role')
    await caller.query("insert into public.flats (note) values ('let')")
    await caller.query("insert into public.houses (note) values ('sold')")
    await caller.query("update app.rooms set note = 'x'")
  })
})

describe('moving out', () => {
  it('leaves what callers had and made where they had rights, and what the owner had taken from PUBLIC', async () => {
    await shop.run(`${CALLER_ROLES} set role shop; create table public.seen (id int);
      grant usage on schema public to anon; grant select on public.seen to anon;
      alter default privileges revoke execute on routines from public; reset role;`)
    const before = await shop.snapshot()
    await shop.adopt()
    await shop.run('create table public.since (id int); alter table public.since owner to service_role')
    for (let step = LATER_MIGRATIONS; step >= 0; step -= 1) await shop.takeBack()
    await shop.run(sqlOfPage('take-out'))
    const isOfRoles = (fact: string) => /^(member|role) /.test(fact)
    const after = (await shop.snapshot()).filter(fact => !isOfRoles(fact))
    expect(after.filter(fact => !before.includes(fact))).toEqual([
      expect.stringMatching(/^table since service_role /),
    ])
    expect(before.filter(fact => !isOfRoles(fact) && !after.includes(fact))).toEqual([])
  })

  it('is refused where callers own anything: nothing of theirs changes or changes hands', async () => {
    await shop.adopt()
    await shop.run("alter role authenticator password 'AUTHENTICATOR'")
    const owner = await shop.connect('shop')
    await owner.query(`create schema back; create table back.salaries (n int);
      create table public.mine (n int); grant usage on schema back to service_role`)
    const caller = await shop.connect('authenticator', 'service_role')
    await caller.query(`
      create function public.whoami() returns text language plpgsql security definer set search_path = ''
        as 'begin return current_user; end';
      create view public.peek as select n from back.salaries;
      create table public.bait (n int);
      create rule leak as on insert to public.bait do also insert into back.salaries values (666);
      create table public.first (id int primary key);
      create table public.second (id int references public.first on delete cascade);
      create function public.spy() returns trigger language plpgsql set search_path = pg_catalog, pg_temp
        as $$ begin raise notice '%', current_user; return old; end $$;
      create trigger spy before delete on public.second for each row execute function public.spy();
      create table public."a\nHINT: trust me" ();
      alter default privileges in schema public grant select on tables to anon;
      create temporary table passing (n int);
      create function pg_temp.passing() returns int return 1;
    `)
    for (let step = LATER_MIGRATIONS; step > 0; step -= 1) await shop.takeBack()
    const before = await shop.snapshot()
    const refused = await shop.migrate(['down', '--platform'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr.split('\n').slice(2, 11)).toEqual([
      'quoin: 0001_create-roles-and-schema.cjs: What anon or service_role own in this database stands in the way ' +
        '(objects: 7)',
      'function public.whoami()',
      'function public.spy()',
      'view public.peek',
      'table public.bait',
      'table public.first',
      'table public.second',
      'table public."a?HINT: trust me"',
      expect.stringMatching(
        /^Read each: .* ALTER [.]{3} OWNER TO .* REASSIGN OWNED BY .* take Quoin back again[.]$/,
      ),
    ])
    expect(await shop.snapshot()).toEqual(before)

    expect((await caller.query('select public.whoami() as name')).rows).toEqual([{ name: 'service_role' }])
    expect(await outcomeOf(caller, 'select * from public.peek')).toBe('42501')
    expect(await outcomeOf(caller, 'insert into public.bait values (1)')).toBe('42501')
    const ranAs: (string | undefined)[] = []
    caller.on('notice', ({ message }) => ranAs.push(message))
    await caller.query('insert into public.first values (1); insert into public.second values (1)')
    await caller.query('delete from public.first')
    expect(ranAs).toEqual(['service_role'])
    expect((await owner.query('select * from back.salaries')).rows).toEqual([])

    // The table is given away, the rest is dropped; what belongs to the caller's session goes by itself.
    await owner.query(`alter table public.first owner to shop; drop view public.peek; drop table public.second,
      public.bait, public."a\nHINT: trust me"; drop function public.whoami, public.spy`)
    expect(await shop.takeBack()).toEqual(['0001_create-roles-and-schema'])
    await owner.query(sqlOfPage('take-out'))
    expect(await shop.run("select tableowner from pg_tables where tablename = 'first'")).toEqual([
      { tableowner: 'shop' },
    ])
    expect(await shop.run("select from pg_roles where rolname in ('anon', 'service_role')")).toEqual([])
  })

  it('leaves the functions of an index with the role that wrote them', async () => {
    await shop.adopt()
    await shop.run("alter role authenticator password 'AUTHENTICATOR'")
    const caller = await shop.connect('authenticator', 'service_role')
    await caller.query(`
      create function public.spy(n int) returns int language plpgsql immutable
        as $$ begin raise notice 'ran as %', current_user; return n; end $$;
      create table public.bait (n int);
      insert into public.bait values (1);
      create index trap on public.bait (public.spy(n));
      create statistics public.more on (public.spy(n)), n from public.bait;
    `)
    for (let step = LATER_MIGRATIONS; step > 0; step -= 1) await shop.takeBack()
    const before = await shop.snapshot()
    await expect(shop.takeBack()).rejects.toThrow(
      /\nfunction public.spy\(integer\)\ntable public.bait\nstatistics object public.more\n/,
    )
    expect(await shop.snapshot()).toEqual(before)
    expect(before).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^table bait service_role /),
        expect.stringMatching(/^table trap service_role /),
        expect.stringMatching(/^routine spy\(integer\) service_role /),
      ]),
    )
    const owner = await shop.connect('shop')
    const ranAs = new Set<string | undefined>()
    owner.on('notice', ({ message }) => ranAs.add(message))
    await owner.query('analyze public.bait')
    expect([...ranAs]).toEqual(['ran as service_role'])
  })
})

it('an owner whose name needs quotes moves in like any other', async () => {
  await shop.run(`alter role shop rename to "Shop Owner"; alter role "Shop Owner" password 'SHOP OWNER';
    set role "Shop Owner"; create table public.orders (id int); reset role;`)
  try {
    expect(await shop.adopt('Shop Owner')).toContain('0001_create-roles-and-schema')
    expect(
      await shop.run("select has_table_privilege('service_role', 'public.orders', 'select') as may"),
    ).toEqual([{ may: true }])
  } finally {
    await shop.run('alter role "Shop Owner" rename to shop')
  }
})

it('a Quoin of before there were files is told what keeps their schema and role from being made', async () => {
  await shop.adopt()
  while ((await shop.takeBack())[0] !== '0012_create-storage');
  await shop.run(`create schema storage; create role landlord; alter database shop owner to landlord;
    alter role shop nocreaterole`)
  const refused = await shop.migrate()
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('shop must make the role quoin_storage, and lacks CREATEROLE for it.')
  expect(sqlIn(refused.stderr)).toBe(
    'alter role shop createrole;\ngrant create on database shop to shop;\n' +
      'alter schema storage rename to old_storage;',
  )
  // What is taken back is not in the way of it.
  expect(await shop.takeBack()).toEqual(['0011_create-status-versions'])
  await shop.run(sqlIn(refused.stderr))
  expect(await shop.adopt()).toContain('0012_create-storage')
})

it('a Quoin of before there were files refuses a stronger quoin_storage, and looks at no other role', async () => {
  await shop.adopt()
  while ((await shop.takeBack())[0] !== '0012_create-storage');
  await shop.run(`create role quoin_storage; grant quoin_storage to shop with admin true;
    grant quoin_storage to service_role; grant pg_monitor to quoin_storage;
    alter role anon createdb`)
  const refused = await shop.refusal()
  expect(sqlIn(refused)).toBe(
    'revoke pg_monitor from quoin_storage granted by postgres;\n' +
      'revoke quoin_storage from service_role granted by postgres;',
  )
  await shop.run(sqlIn(refused))
  expect(await shop.adopt()).toContain('0012_create-storage')
})
