// GET /v1/database/schema and /v1/database/tables/:schema/:table, and both under /api, on tables of its own.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { DatabaseSchema, TableStructure } from '../../../src/features/catalog/structure.ts'
import {
  parseSchema,
  parseStructure,
  SCHEMA_ADDITIONS,
  TABLE_ADDITIONS,
} from '../../../src/features/catalog/structure-sql.ts'
import { parseTables, relationsStatement } from '../../../src/features/catalog/tables-sql.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'
import { asOwner, freshPrefix } from '../data-api/caller.ts'
import { asAdmin, memberOutcome } from './caller.ts'

const { base_url: url } = inject('stack')
const p = freshPrefix()
const odd = `${p} it's "odd".a/b%2F`
const quoted = `"${odd.replaceAll('"', '""')}"`

beforeAll(async () => {
  await asOwner(`
    create type ${p}_mood as enum ('sad', 'happy');
    create type ${p}_place as (street varchar(9), "house no" int);
    comment on type ${p}_place is 'an address';
    create domain ${p}_short as text default '-' check (length(value) < 9);
    create schema ${p}_private;
    create table ${p}_private.plans (id int primary key);
    create table ${p}_people (id uuid primary key, name text unique, age int check (age > 0),
      plan int references ${p}_private.plans on delete set null);
    create table ${p}_cards (person uuid primary key references ${p}_people on delete cascade, body text);
    create table ${p}_private.logs (person uuid references ${p}_people);
    create table ${p}_parts (id int, person uuid references ${p}_people) partition by range (id);
    create table ${p}_parts_1 partition of ${p}_parts for values from (0) to (10);
    create table ${p}_stays (nights daterange, exclude using gist (nights with &&) where (nights is not null));
    create materialized view ${p}_ages as select age from ${p}_people;
    create view ${p}_names as select name from ${p}_people;
    create view ${p}_asking with (security_invoker) as select name from ${p}_people;
    create table ${quoted} ("a ""b""" int, other int);
    create index ${p}_lower on ${p}_people (lower(name));
    create function ${p}_touch() returns trigger language plpgsql as 'begin return new; end';
    create function ${p}_add(a int, b int default 2) returns int language sql immutable security definer
      as 'select a + b';
    create trigger "!before" before update on ${p}_people for each row execute function ${p}_touch();
    alter table ${p}_people disable trigger "!before";
    select quoin.watch_table('${p}_people'::regclass, '{INSERT}');
    alter table ${p}_people enable row level security, force row level security;
    create policy "own it" on ${p}_people for select to anon using (name = current_user);
    create policy everybody on ${p}_people for insert with check (true);
    create policy adults on ${p}_people as restrictive for all using (age > 17);
    grant select, update (age), insert on ${p}_people to anon;
    grant select on ${p}_names, ${p}_asking to anon;
    grant select (other) on ${quoted} to anon`)
})

afterAll(() =>
  asOwner(`drop schema ${p}_private cascade; drop function ${p}_add;
    drop table ${p}_stays, ${p}_people, ${p}_cards, ${p}_parts, ${quoted} cascade;
    drop function ${p}_touch; drop type ${p}_mood, ${p}_place; drop domain ${p}_short`),
)

const pathOf = (schema: string, table: string) =>
  `/database/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}`

async function read(table: string): Promise<TableStructure> {
  const answer = await asAdmin('GET', `/api${pathOf('public', table)}`)
  expect(answer.status, answer.text).toBe(200)
  return TableStructure.strict().parse(answer.json)
}

describe('GET /v1/database/tables/:schema/:table', () => {
  it('shows keys, indexes, triggers and policies, and which of them are whose', async () => {
    const table = await read(`${p}_people`)
    expect(table).toMatchObject({
      primary_key: ['id'],
      unique_keys: [{ name: `${p}_people_name_key`, columns: ['name'] }],
      checks: [{ expression: '(age > 0)', validated: true }],
      row_level_security: true,
      row_level_security_forced: true,
      grants: { anon: ['select', 'insert'] },
      partition_of: null,
    })
    expect(table.indexes.map(({ name, unique, primary_key }) => [name, unique, primary_key])).toEqual([
      [`${p}_lower`, false, false],
      [`${p}_people_name_key`, true, false],
      [`${p}_people_pkey`, true, true],
    ])
    expect(table.indexes[0]?.definition).toContain('lower(name)')
    expect(table.triggers.map(({ enabled, of_quoin }) => [enabled, of_quoin])).toEqual([
      [false, false],
      [true, true],
    ])
    const policy = { permissive: true, using: null, check: null, roles: ['public'] }
    expect(table.policies).toEqual([
      { ...policy, name: 'adults', command: 'all', permissive: false, using: '(age > 17)' },
      { ...policy, name: 'everybody', command: 'insert', check: 'true' },
      {
        ...policy,
        name: 'own it',
        command: 'select',
        roles: ['anon'],
        using: '(name = CURRENT_USER)',
      },
    ])
  })

  it('shows exclusion constraints, and the queries of views and materialized views', async () => {
    expect(await read(`${p}_stays`)).toMatchObject({
      exclusions: [
        {
          name: `${p}_stays_nights_excl`,
          definition: 'EXCLUDE USING gist (nights WITH &&) WHERE ((nights IS NOT NULL))',
        },
      ],
      view_definition: null,
    })
    const words = async (view: string) => (await read(view)).view_definition?.replaceAll(/\s+/g, ' ').trim()
    expect(await words(`${p}_names`)).toBe(`SELECT name FROM public.${p}_people;`)
    expect(await words(`${p}_ages`)).toBe(`SELECT age FROM public.${p}_people;`)
  })

  it('shows foreign keys both ways, to and from schemas that are not served, and which are one to one', async () => {
    const people = await read(`${p}_people`)
    expect(people.foreign_keys).toMatchObject([
      { columns: ['plan'], references: { schema: `${p}_private`, table: 'plans' }, on_delete: 'set null' },
    ])
    // A partition's own copy of its table's key is no second one.
    expect(people.referenced_by.map(({ schema, table, one_to_one }) => [schema, table, one_to_one])).toEqual([
      ['public', `${p}_cards`, true],
      ['public', `${p}_parts`, false],
      [`${p}_private`, 'logs', false],
    ])
    expect(await read(`${p}_parts_1`)).toMatchObject({
      partition_of: { schema: 'public', table: `${p}_parts` },
      foreign_keys: [{ columns: ['person'] }],
    })
  })

  it('says which rows anon reaches, with policies counted in', async () => {
    const people = (await read(`${p}_people`)).access.anon
    expect(people).toEqual({
      select: { rows: 'some', because: 'policies', policies: ['adults', 'own it'], columns: null },
      insert: { rows: 'some', because: 'policies', policies: ['adults'], columns: null },
      update: { rows: 'none', because: 'no_policy', policies: [], columns: null },
      delete: { rows: 'none', because: 'no_grant', policies: [], columns: null },
    })
    const ofView = async (view: string) => (await read(view)).access.anon.select
    expect(await ofView(`${p}_names`)).toMatchObject({ rows: 'all', because: 'view_owner' })
    expect(await ofView(`${p}_asking`)).toMatchObject({ rows: 'some', because: 'tables_below' })
  })

  it('finds a name with quotes, dots, slashes and percent signs', async () => {
    const table = await read(odd)
    expect(table.name).toBe(odd)
    expect(table.columns.map(({ name }) => name)).toEqual(['a "b"', 'other'])
    expect(table.access.anon.select).toEqual({
      rows: 'all',
      because: 'no_row_level_security',
      policies: [],
      columns: ['other'],
    })
  })

  it.each([
    ['a table that is not there', 'public', `${p}_peopel`, `Did you mean "public.${p}_people"?`],
    ['a schema that is not served', `${p}_private`, 'plans', 'Served are the schemas'],
    ['a schema that is not there', 'publik', 'todos', 'Did you mean "public"?'],
    ['a name with NUL', 'public', 'to\0dos', 'Served are the schemas'],
    ['a name of another schema', 'public', 'quoin.api_keys', 'Served are the schemas'],
  ])('answers 404 with a hint for %s', async (_, schema, table, hint) => {
    const { status, json } = await asAdmin('GET', `/api${pathOf(schema, table)}`)
    expect([status, json.code]).toEqual([404, 'not_found'])
    expect(json.hint).toContain(hint)
  })

  it('is for service_role keys and administrators', async () => {
    const path = pathOf('public', `${p}_people`)
    const [anon, service] = await Promise.all([makeKey('anon'), makeKey('service_role')])
    const statusFor = async (apikey: string) =>
      (await fetch(`${url}/v1${path}`, { headers: { apikey } })).status
    expect(await statusFor(service.key)).toBe(200)
    expect(await statusFor(anon.key)).toBe(403)
    expect(await memberOutcome('GET', `/api${path}`)).toEqual([403, 'admin_required'])
  })
})

describe('GET /v1/database/schema', () => {
  it('has the same tables, and the functions and types beside them', async () => {
    const { key } = await makeKey('service_role')
    const answer = await fetch(`${url}/v1/database/schema`, { headers: { apikey: key } })
    expect(answer.status).toBe(200)
    const schema = DatabaseSchema.strict().parse(await answer.json())
    expect(schema.complete).toBe(true)
    const table = await read(`${p}_cards`)
    expect(schema.tables.find(({ name }) => name === `${p}_cards`)).toEqual(table)
    const named = <Item extends { name: string }>(items: Item[], name: string) =>
      items.filter(item => item.name === `${p}_${name}`)
    expect(named(schema.functions, 'add')).toMatchObject([
      {
        arguments: 'a integer, b integer DEFAULT 2',
        returns: 'integer',
        volatility: 'immutable',
        security_definer: true,
      },
    ])
    expect(named(schema.enums, 'mood')).toMatchObject([{ values: ['sad', 'happy'] }])
    expect(named(schema.domains, 'short')).toMatchObject([
      { type: 'text', default: "'-'::text", checks: [{ expression: '(length(VALUE) < 9)' }] },
    ])
    const attributes = [
      { name: 'street', type: 'character varying(9)' },
      { name: 'house no', type: 'integer' },
    ]
    // The row type of a table is none of these.
    expect(schema.composite_types.filter(({ name }) => name.startsWith(p))).toEqual([
      { schema: 'public', name: `${p}_place`, attributes, comment: 'an address' },
    ])
    const schemas = new Set([...schema.tables, ...schema.functions].map(item => item.schema))
    for (const hidden of [`${p}_private`, 'quoin', 'pg_catalog']) expect(schemas).not.toContain(hidden)
  })
})

it('leaves out what is dropped while the catalog is read', async () => {
  await asOwner(`create table ${p}_dropped (id int primary key check (id > 0) default 1);
    create policy mine on ${p}_dropped using (id > 0);
    create view ${p}_lost_view as select * from ${p}_dropped;
    create table ${p}_kept (id int references ${p}_dropped, during int4range,
      constraint ${p}_never exclude using gist (during with &&)); create index ${p}_gone on ${p}_kept (id);
    create function ${p}_lost() returns int language sql as 'select 1'`)
  await using reader = await connectOwner()
  // The transaction goes on seeing the catalog's rows as they are now; functions see what is there then.
  await reader.query('begin isolation level repeatable read; set local search_path = pg_catalog; table pg_am')
  await asOwner(`drop table ${p}_dropped cascade; drop index ${p}_gone;
    alter table ${p}_kept drop constraint ${p}_never; drop function ${p}_lost`)
  const textOf = async ({ sql, params }: { sql: string; params: readonly unknown[] }) => {
    const query = { text: sql, values: [...params], rowMode: 'array' as const }
    return (await reader.query<[string]>(query)).rows[0]?.[0] ?? ''
  }
  const text = await textOf(relationsStatement(['public'], SCHEMA_ADDITIONS))
  expect(text).toContain(`"name" : "${p}_dropped"`)
  const { tables, functions } = DatabaseSchema.strict().parse(parseSchema(text))
  expect(tables.find(({ name }) => name === `${p}_kept`)).toMatchObject({ indexes: [], exclusions: [] })
  const listed = parseTables(await textOf(relationsStatement(['public']))).tables
  const names = [...tables, ...functions, ...listed].map(({ name }) => name)
  expect(names).not.toContain(`${p}_dropped`)
  for (const name of ['lost', 'lost_view']) expect(names).not.toContain(`${p}_${name}`)
  const ofName = relationsStatement(['public'], TABLE_ADDITIONS, `${p}_dropped`)
  expect(parseStructure(await textOf(ofName))).toBeUndefined()
  await asOwner(`drop table ${p}_kept`)
})

it('lists the first of what is too long for one answer, and says that it is not complete', async () => {
  await using owner = await connectOwner()
  await owner.query(`begin; create schema ${p}_long; set local search_path = ${p}_long, pg_catalog;
    do $$ declare
      labels text := (select string_agg(quote_literal(rpad(i::text, 60, '"')), ',') from generate_series(1, 500) i);
    begin
      for i in 1..12 loop execute format('create type e%s as enum (%s)', i, labels); end loop;
      for i in 1..2 loop execute format('create table t%s (%s)', i,
        (select string_agg(format('c%s e1', c), ',') from generate_series(1, 45) c)); end loop;
      for i in 1..300 loop execute format('create function f%s(a text default %L) returns int return 1', i,
        repeat('"', 3900)); end loop;
    end $$;
    set local search_path = pg_catalog`)
  const textOf = async (additions?: object) => {
    const { sql, params } = relationsStatement([`${p}_long`], additions)
    const query = { text: sql, values: [...params], rowMode: 'array' as const }
    return (await owner.query<[string]>(query)).rows[0]?.[0] ?? ''
  }
  const listed = parseTables(await textOf())
  expect([listed.tables.map(({ name }) => name), listed.complete]).toEqual([['t1'], false])
  const text = await textOf(SCHEMA_ADDITIONS)
  const { tables, functions, enums, complete } = parseSchema(text)
  expect([tables.length, complete]).toEqual([1, false])
  expect(functions.length).toBeGreaterThan(200)
  expect(functions.length).toBeLessThan(300)
  expect(enums.length).toBeGreaterThan(5)
  expect(enums.length).toBeLessThan(12)
  expect(JSON.stringify(text).length).toBeLessThan(16 * 1024 * 1024)
})
