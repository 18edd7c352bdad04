// Embedded relations, the same requests to /v1/db and to a real PostgREST 12 on the same database.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, type DbCaller, freshPrefix, makeDbCaller } from './caller.ts'
import { type Postgrest, startPostgrest } from './postgrest.ts'

const t = freshPrefix()
let quoin: DbCaller
let postgrest: Postgrest

beforeAll(async () => {
  await asOwner(`
    create table ${t}_clients (id int primary key, name text, data jsonb);
    create table ${t}_projects (
      id int primary key, name text, client_id int references ${t}_clients, budget numeric,
      lead_id int, parent_id int references ${t}_projects
    );
    create table ${t}_people (id int primary key, name text, boss int references ${t}_people);
    alter table ${t}_projects add constraint ${t}_lead foreign key (lead_id) references ${t}_people;
    create table ${t}_tags (id int primary key, name text);
    create table ${t}_projects_tags (
      project_id int references ${t}_projects, tag_id int references ${t}_tags, primary key (project_id, tag_id)
    );
    create table ${t}_details (project_id int primary key references ${t}_projects, note text);
    create table ${t}_letters (
      id int primary key, sender int, receiver int,
      constraint ${t}_sender foreign key (sender) references ${t}_people,
      constraint ${t}_receiver foreign key (receiver) references ${t}_people
    );
    insert into ${t}_clients values (1, 'Acme', '{"a": 1}'), (2, 'Bolt', null), (3, 'Idle', null);
    insert into ${t}_people values (1, 'Ann', null), (2, 'Bob', 1), (3, 'Cid', 1);
    insert into ${t}_projects values (1, 'one', 1, 10.5, 1, null), (2, 'two', 1, 20, 2, 1),
      (3, 'three', 2, null, null, 1),
      (4, 'none', null, 5, null, 3);
    insert into ${t}_tags values (1, 'red'), (2, 'blue'), (3, 'unused');
    insert into ${t}_projects_tags values (1, 1), (1, 2), (2, 1);
    insert into ${t}_details values (1, 'first'), (3, 'third');
    insert into ${t}_letters values (1, 1, 2), (2, 2, 1), (3, 1, 3);
    create view ${t}_projects_view as select id, name, client_id as customer from ${t}_projects;
    create view ${t}_clients_view as select id as key, name from ${t}_clients;
    create view ${t}_counted as select id, name,
      (select json_agg(x) from (select id, name from ${t}_projects where client_id = c.id) x) as list
      from ${t}_clients c;
    create view ${t}_joined as select j.project_id, j.tag_id, p.id as own
      from ${t}_projects_tags j left join ${t}_projects p on true;
    create view ${t}_twice as select c.id, x from ${t}_clients c cross join generate_series(1, 2) x;
    create view ${t}_deep as select customer, id from ${t}_projects_view;
    create function ${t}_cheap(${t}_clients) returns setof ${t}_projects language sql stable as
      'select * from ${t}_projects where client_id = $1.id and budget < 15';
    create function ${t}_owner(${t}_projects) returns setof ${t}_clients rows 1 language sql stable as
      'select * from ${t}_clients where id = $1.client_id';
    grant execute on function ${t}_cheap, ${t}_owner to service_role;
  `)
  quoin = await makeDbCaller()
  postgrest = await startPostgrest()
})

afterAll(async () => {
  await postgrest?.[Symbol.asyncDispose]()
  await asOwner(`drop function ${t}_cheap, ${t}_owner; drop view ${t}_deep, ${t}_counted, ${t}_twice,
      ${t}_joined, ${t}_projects_view,
      ${t}_clients_view;
    drop table ${t}_letters, ${t}_details, ${t}_projects_tags, ${t}_tags, ${t}_projects, ${t}_people, ${t}_clients`)
})

const exact = { prefer: 'count=exact' }
type Case = [table: string, query: string, headers?: Record<string, string>]

/** `$` stands for the prefix of this run. */
const cases: Case[] = [
  ['projects', 'select=id,$_clients(*)&order=id'],
  ['projects', 'select=id,client:$_clients(name)&order=id'],
  ['projects', 'select=id,client_id(name)&order=id'],
  ['projects', 'select=id,$_projects_client_id_fkey(name)&order=id'],
  ['projects', 'select=id,$_people!$_lead(name)&order=id'],
  ['projects', 'select=id,$_people!lead_id(name)&order=id'],
  ['clients', 'select=*,$_projects(id,name)&order=id'],
  ['clients', 'select=name,$_projects(id,$_tags!$_projects_tags(name),$_details(note))&order=id'],
  ['clients', 'select=name,$_projects(id,$_projects_tags(tag_id))&order=id'],
  ['tags', 'select=name,$_projects!$_projects_tags(name)&order=id&limit=1'],
  ['tags', 'select=name,$_projects!$_projects_tags(name)&order=id'],
  ['projects', 'select=id,$_details(*)&order=id'],
  ['details', 'select=note,$_projects(name)&order=project_id'],
  ['projects', 'select=id,$_projects(id)&order=id'],
  ['projects', 'select=id,parent_id(id,name)&order=id'],
  ['people', 'select=name,$_people!boss(name)&order=id'],
  ['letters', 'select=id,$_people(name)&order=id'],
  ['letters', 'select=id,from:$_people!$_sender(name),to:$_people!receiver(name)&order=id'],
  ['people', 'select=id,$_letters!$_sender(id)&order=id'],
  ['projects', 'select=id,$_clients!inner(name)&order=id', exact],
  ['projects', 'select=id,$_clients!inner(name)&$_clients.name=eq.Acme&order=id', exact],
  ['projects', 'select=id,$_clients(name)&$_clients.name=eq.Acme&order=id', exact],
  ['clients', 'select=name,$_projects!inner(name)&$_projects.budget=gt.15&order=id', exact],
  ['clients', 'select=name,$_projects!inner($_tags!$_projects_tags!inner(name))&order=id', exact],
  ['clients', 'select=name,$_projects(name)&$_projects.order=name.desc&$_projects.limit=1&order=id'],
  ['clients', 'select=name,$_projects(name)&$_projects.order=name.desc&$_projects.offset=1&order=id'],
  ['clients', 'select=name,p:$_projects(name)&p.or=(budget.gt.15,name.eq.three)&order=id'],
  [
    'clients',
    'select=name,$_projects(name,$_tags!$_projects_tags(name))&$_projects.$_tags.name=eq.red&order=id',
  ],
  ['clients', 'select=name,$_projects()&$_projects=is.null', exact],
  ['clients', 'select=name,$_projects()&$_projects=not.is.null&order=id', exact],
  ['clients', 'select=name,p:$_projects()&or=(p.is.null,name.eq.Acme)&order=id', exact],
  ['projects', 'select=name,$_clients()&order=id'],
  ['projects', 'select=id,...$_clients(client:name)&order=id'],
  ['projects', 'select=id,...$_clients(client:name,data->a)&$_clients.name=eq.Acme&order=id'],
  ['projects', 'select=id,...$_clients(*)&order=id'],
  [
    'projects_tags',
    'select=...$_projects(project:name,...$_clients(client:name)),tag_id&order=project_id,tag_id',
  ],
  ['projects', 'select=id,name&order=$_clients(name).desc,id'],
  ['projects', 'select=id,$_clients(name)&order=$_clients(name).desc.nullslast,id'],
  ['projects', 'select=id,$_clients(data)&order=$_clients(data->a).asc.nullsfirst,id'],
  ['projects', 'select=id,$_tags!$_projects_tags(name)&order=$_tags(name)'],
  ['projects_view', 'select=id,$_clients(name)&order=id'],
  ['projects_view', 'select=id,$_clients_view(name)&order=id'],
  ['clients_view', 'select=name,$_projects_view(id)&order=key'],
  ['clients', 'select=name,$_projects_view(name)&order=id'],
  ['deep', 'select=id,$_clients(name)&order=id'],
  ['clients', 'select=name,$_cheap(name)&order=id'],
  ['projects', 'select=name,$_owner(name)&order=id'],
  ['projects', 'select=name,$_owner!inner(name)&order=id', exact],
  ['clients', 'select=name,$_cheap(name,$_tags!$_projects_tags(name))&order=id'],
  ['projects', 'select=count()'],
  ['projects', 'select=budget.sum(),client_id&order=client_id'],
  ['projects', 'select=total:budget.sum()::int,n:id.count(),budget.avg(),budget.max(),budget.min()'],
  ['projects', 'select=client_id,$_clients(name),budget.sum()&order=client_id'],
  ['clients', 'select=name,$_projects(budget.sum())&order=id'],
  ['clients', 'select=name,$_projects(count)&order=id'],
  ['projects', 'select=...$_clients(name),budget.sum()'],
  ['projects_tags', 'select=tag_id,...$_projects(budget.sum())'],
  ['projects_tags', 'select=tag_id,...$_projects(count())'],
  ['projects', 'select=*,id.count()'],
  ['projects_tags', 'select=...$_projects(client_id,budget.sum())&order=$_projects(client_id)'],
  ['projects_tags', 'select=...$_projects(c:$_clients(name),budget.sum())'],
  ['counted', 'select=id,$_projects(name)&order=id'],
  ['projects', 'select=id,$_tags!$_joined(name)&$_tags.limit=1&$_tags.order=id&order=id'],
  ['clients', 'select=name,nope(*)'],
  ['clients', 'select=name,$_projectss(*)'],
  ['clients', 'select=name,$_projects!wrong(*)'],
  ['clients', 'select=name&$_projects.name=eq.x'],
  ['clients', 'select=name,$_projects(nope)'],
  ['clients', 'select=name,$_projects(id)', { ...exact, range: '0-0' }],
]

/** Where both refuse, they name the error each in its own way. */
function comparable(status: number, body: unknown): unknown {
  return status < 300
    ? body
    : ((body as { message?: string; error?: string }).message ?? (body as { error: string }).error)
}

describe('the same answer as PostgREST', () => {
  test.each(cases)('%s?%s', async (table, query, headers = {}) => {
    const path = `${t}_${table}?${query.replaceAll('$', t)}`
    const theirs = await fetch(`${postgrest.url}/${path}`, { headers })
    const ours = await quoin(path, { headers })
    const body = await theirs.json()
    expect({ status: ours.status, body: comparable(ours.status, ours.body) }).toEqual({
      status: theirs.status,
      body: comparable(theirs.status, body),
    })
    expect(ours.headers.get('content-range')).toBe(theirs.headers.get('content-range'))
  })
})

describe('rows of a write', () => {
  const written = { prefer: 'return=representation' }
  const client = `${t}_clients`

  test('come with what they are related to', async () => {
    const created = await quoin(
      `${t}_projects?select=id,${client}(name),parent_id(name)&order=${client}(name).desc`,
      {
        method: 'POST',
        headers: written,
        body: [
          { id: 101, client_id: 1, parent_id: 2 },
          { id: 102, client_id: 2, parent_id: null },
        ],
      },
    )
    expect(created.body).toEqual([
      { id: 102, [client]: { name: 'Bolt' }, parent_id: null },
      { id: 101, [client]: { name: 'Acme' }, parent_id: { name: 'two' } },
    ])
    const changed = await quoin(
      `${t}_projects?id=in.(101,102)&select=id,...${client}(name),${t}_owner(name)&order=id`,
      {
        method: 'PATCH',
        headers: written,
        body: { client_id: 2 },
      },
    )
    expect(changed.body).toEqual([
      { id: 101, name: 'Bolt', [`${t}_owner`]: { name: 'Bolt' } },
      { id: 102, name: 'Bolt', [`${t}_owner`]: { name: 'Bolt' } },
    ])
    const gone = await quoin(`${t}_projects?id=gt.100&select=id.count(),${client}(name)`, {
      method: 'DELETE',
    })
    expect(gone.body).toEqual([{ count: 2, [client]: { name: 'Bolt' } }])
  })

  test('that an inner relation leaves out are counted all the same', async () => {
    const path = `${t}_projects?id=in.(1,4)&select=id,${client}!inner(name)`
    const call = { method: 'PATCH', body: { name: 'renamed' } }
    const refused = await quoin(path, { ...call, headers: { prefer: 'max-affected=1,tx=rollback' } })
    expect(refused.body).toMatchObject({ code: 'max_affected_exceeded', detail: 'The query affects 2 rows' })
    const shown = await quoin(path, { ...call, headers: { prefer: 'max-affected=2,tx=rollback' } })
    expect(shown.body).toEqual([{ id: 1, [client]: { name: 'Acme' } }])
  })

  test('may be chosen by what they are related to', async () => {
    const path = `${t}_clients?select=id,p:${t}_projects()&p=is.null`
    const gone = await quoin(path, { method: 'DELETE', headers: { prefer: 'tx=rollback' } })
    expect(gone.body).toEqual([{ id: 3 }])
  })

  test('need no right to columns that are not shown', async () => {
    await asOwner(`create table ${t}_open (id int primary key, client_id int references ${client}, secret text);
      grant select (id, client_id), insert (id, client_id) on ${t}_open to anon;
      grant select on ${client} to anon`)
    const anon = await makeDbCaller('anon')
    const created = await anon(`${t}_open?select=id,${client}(name)`, {
      method: 'POST',
      body: { id: 1, client_id: 1 },
    })
    expect([created.status, created.body]).toEqual([201, [{ id: 1, [client]: { name: 'Acme' } }]])
    await asOwner(`drop table ${t}_open`)
  })
})

test('of a view with several rows where a key promises one, the first is shown, and rows stay as many', async () => {
  const { body, headers } = await quoin(
    `${t}_projects?select=id,...${t}_twice(x),one:${t}_twice(x)&id=lt.3&order=id&limit=2`,
    { headers: { prefer: 'count=exact' } },
  )
  expect(body).toEqual([1, 2].map(id => ({ id, x: 1, one: { x: 1 } })))
  expect(headers.get('content-range')).toBe('0-1/2')
})

test('a null filter on a relation may be about one that is called like a function', async () => {
  const path = `${t}_clients?select=id,max:${t}_projects()&max=is.null`
  expect((await quoin(path)).body).toEqual([{ id: 3 }])
})

describe('the next request knows of a change', () => {
  const read = (name: string) => quoin(`${t}_early?select=id,${name}(id)&order=id`)

  test('of the name of a type', async () => {
    await asOwner(`create type ${t}_pair as (x int); create table ${t}_up (id int primary key);
      create table ${t}_down (id int primary key, up_id int references ${t}_up, pair ${t}_pair);
      insert into ${t}_up values (1); insert into ${t}_down values (1, 1, row(7))`)
    // A text that is prepared already knows the type by its oid.
    const read = (alias: string) => quoin(`${t}_down?select=${alias}:pair->x,${t}_up(id)`)
    expect((await read('before')).body).toEqual([{ before: 7, [`${t}_up`]: { id: 1 } }])
    await asOwner(`alter type ${t}_pair rename to ${t}_couple`)
    expect((await read('after')).body).toEqual([{ after: 7, [`${t}_up`]: { id: 1 } }])
    await asOwner(`drop table ${t}_down, ${t}_up; drop type ${t}_couple`)
  })

  test('of foreign keys and views', async () => {
    await asOwner(`create table ${t}_late (id int primary key, two int unique);
      create table ${t}_early (id int primary key, late_id int, other_id int);
      insert into ${t}_late values (1, 2), (2, 1); insert into ${t}_early values (1, 1, 2)`)
    const late = `${t}_late`
    expect((await read(late)).body).toMatchObject({ code: 'relationship_not_found' })
    await asOwner(`alter table ${t}_early add constraint ${t}_one foreign key (late_id) references ${late}`)
    expect((await read(late)).body).toEqual([{ id: 1, [late]: { id: 1 } }])
    await asOwner(`alter table ${t}_early add constraint ${t}_two foreign key (other_id) references ${late}`)
    expect((await read(late)).status).toBe(300)
    await asOwner(`alter table ${t}_early drop constraint ${t}_one`)
    expect((await read(late)).body).toEqual([{ id: 1, [late]: { id: 2 } }])
    await asOwner(`create view ${t}_shown as select id, two from ${late}`)
    expect((await read(`${t}_shown`)).body).toEqual([{ id: 1, [`${t}_shown`]: { id: 2 } }])
    await asOwner(`create or replace view ${t}_shown as select two as id, id as two from ${late}`)
    expect((await read(`${t}_shown`)).body).toEqual([{ id: 1, [`${t}_shown`]: { id: 1 } }])
    // A write says so too, when it returns nothing: by the key of before row 2 would go.
    await asOwner(`insert into ${t}_early values (2, 9, 1)`)
    await read(late)
    await asOwner(`alter table ${t}_early drop constraint ${t}_two;
      update ${t}_early set late_id = 1, other_id = null where id = 2;
      alter table ${t}_early add constraint ${t}_one foreign key (late_id) references ${late}`)
    const path = `${t}_early?select=id,${late}()&${late}=is.null`
    await quoin(path, { method: 'DELETE', headers: { prefer: 'return=minimal' } })
    expect((await quoin(`${t}_early?select=id&order=id`)).body).toEqual([{ id: 1 }, { id: 2 }])
    await asOwner(`alter table ${t}_early drop constraint ${t}_one`)
    expect((await read(late)).body).toMatchObject({ code: 'relationship_not_found' })
    await asOwner(`drop view ${t}_shown; drop table ${t}_early, ${late}`)
  })
})
