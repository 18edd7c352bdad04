// The same reads to /v1/db and to a real PostgREST 12 on the same database: same status, same JSON, same Content-Range.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, callDb, type DbCaller, freshPrefix, makeDbCaller } from './caller.ts'
import { type Postgrest, startPostgrest } from './postgrest.ts'

const t = freshPrefix()
let quoin: DbCaller
let postgrest: Postgrest

beforeAll(async () => {
  await asOwner(`
    create type ${t}_mood as enum ('sad', 'ok', 'happy');
    create type ${t}_point as (x int, y int);
    create table ${t}_users (
      id bigint primary key, username text unique, "full name" text, age int, mood ${t}_mood, data jsonb, doc json,
      tags text[], nums int[], span int4range, days daterange, place ${t}_point, price numeric(10, 2), active boolean,
      born date, created_at timestamptz, raw bytea, words tsvector, catchphrase text, ratio double precision, keys jsonb
    );
    insert into ${t}_users values
      (1, 'supabot', 'Supa Bot', 30, 'ok', '{"a":{"b":"x","n":1},"list":[1,2,3],"k":"v"}', '{"z": 1}', '{a,b}', '{1,2}',
        '[1,5)', '[2024-01-01,2024-02-01)', (1,2), 10.50, true, '1990-05-01', '2024-01-01T00:00:00Z', '\\xdeadbeef',
        to_tsvector('english', 'fat cats eat rats'), 'fat cat', 0.5),
      (2, 'kiwicopple', null, 40, 'happy', '{"a":{"b":"y","n":20},"list":[],"k":null}', '{"z": 2}', '{b,c}', '{}',
        '[5,10)', '[2024-03-01,2024-04-01)', (3,4), 0, false, '1980-12-31', '2024-06-01T12:30:00.123456+02', null,
        to_tsvector('english', 'lazy dogs'), 'a, "b" (c)', 'Infinity'),
      (3, 'awailas', 'A*B%C', null, null, null, null, null, null, null,
        null, null, null, null, null, null, null, null, null, null),
      (9007199254740993, 'quo"te,d', 'back\\slash', -5, 'sad', '[1,"two",null]', '[1]', '{"x,y","q\\"r"}', '{3}',
        'empty', null, null, -1.25, null, null, null, null, null, '', null),
      (5, 'null', 'ünï ☃', 0, 'ok', '{"a": 1}', '{}', '{}', '{1,2,3}', '(,3]', null, null, 99999999.99, true,
        '2000-02-29', '1999-12-31 23:59:59+00', '\\x', to_tsvector('english', 'cats'), 'x', -0.0);
    update ${t}_users set keys = '{"!@$%^*_d":{"!@$%^*_e":3},"a b-c":4}' where id = 2;
    create view ${t}_adults as select id, username, age from ${t}_users where age >= 18;
    create function ${t}_users_upper(${t}_users) returns text language sql stable as 'select upper($1.username)';
    grant execute on function ${t}_users_upper(${t}_users) to service_role;
    create table ${t}_none (id int primary key);
    analyze ${t}_users;
  `)
  quoin = await makeDbCaller()
  postgrest = await startPostgrest()
})

afterAll(async () => {
  await postgrest?.[Symbol.asyncDispose]()
  await asOwner(`drop view ${t}_adults; drop function ${t}_users_upper; drop table ${t}_users, ${t}_none;
    drop type ${t}_mood; drop type ${t}_point`)
})

const byId = 'order=id'
const exact = { prefer: 'count=exact' }
type Case = [query: string, headers?: Record<string, string>, table?: string]

const named = (list: Case[]) =>
  list.map(([query, headers = {}, table = 'users']) => ({ query, headers, table }))

const cases: Case[] = [
  [byId],
  [`select=&${byId}`],
  [`select=*&${byId}`],
  [`select=id,username&${byId}`],
  [`select=id, username &${byId}`],
  [`select=name:username,id::text,born::timestamp&${byId}`],
  [`select="full name",full:"full name"&${byId}`],
  [`select=full name&${byId}`],
  [`select=data->a->>b,data->list->0,data->list,k:data->>k&${byId}`],
  [`select=data->list->-1&${byId}`],
  [`select=doc->z,doc->>z&${byId}`],
  [`select=tags->0,nums->>1&${byId}`],
  [`select=place->x,place->>y&${byId}`],
  [`select=id,${t}_users_upper&${byId}`],
  [`select=price::text,ratio::text,id::numeric,active::int&${byId}`],
  ['id=eq.1'],
  ['id=eq.9007199254740993'],
  ['id=neq.1&order=id'],
  ['id=gt.2&order=id'],
  ['id=gte.2&id=lte.5&order=id'],
  ['id=lt.3&order=id'],
  ['username=like.*o*&order=id'],
  ['username=like.%25o%25&order=id'],
  ['username=ilike.SUPA*'],
  ['username=match.^s&order=id'],
  ['username=imatch.^S&order=id'],
  ['username=eq.quo"te,d'],
  ['username=in.(supabot,"quo\\"te,d",null)&order=id'],
  ['username=not.in.(supabot,kiwicopple)&order=id'],
  ['id=in.(1,2,3)&order=id'],
  ['id=in.( 1,2 )&order=id'],
  ['id=in.()&order=id'],
  ['id=not.in.()&order=id'],
  ['age=is.null'],
  ['age=not.is.null&order=id'],
  ['active=is.true&order=id'],
  ['active=is.FALSE&order=id'],
  ['active=is.unknown&order=id'],
  ['age=isdistinct.30&order=id'],
  ['mood=eq.ok&order=id'],
  ['mood=gt.sad&order=id'],
  ['tags=cs.{b}&order=id'],
  ['tags=cd.{a,b,c}&order=id'],
  ['tags=ov.{c,x}&order=id'],
  ['tags=cs.{"x,y"}&order=id'],
  ['data=cs.{"k":"v"}&order=id'],
  ['span=cs.[3,3]&order=id'],
  ['span=ov.[4,6]&order=id'],
  ['span=sl.[6,7]&order=id'],
  ['span=sr.(0,1)&order=id'],
  ['span=nxr.[0,8]&order=id'],
  ['span=nxl.[2,3]&order=id'],
  ['span=adj.[10,11]&order=id'],
  ['days=cs.[2024-01-15,2024-01-15]'],
  ['words=fts.cat&order=id'],
  ['words=fts(english).cats&order=id'],
  ['words=plfts.fat cats'],
  ['words=phfts(english).fat cats'],
  ['words=wfts.cat -fat&order=id'],
  ['words=not.fts.cat&order=id'],
  ['id=eq(any).{1,2}&order=id'],
  ['id=gt(all).{1,2}&order=id'],
  ['username=like(any).{s*,k*}&order=id'],
  ['username=ilike(all).{S*,*T}&order=id'],
  ['username=not.like(any).{s*,k*}&order=id'],
  ['data->>k=eq.v'],
  ['data->a->>b=in.(x,y)&order=id'],
  ['data->a->n=gt.5'],
  ['data->list->0=eq.1'],
  ['data->a=is.null&order=id'],
  ['nums->0=eq.1&order=id'],
  ['place->>x=eq.3'],
  ['"full name"=eq.Supa Bot'],
  ['full name=is.null&order=id'],
  [`${t}_users_upper=eq.SUPABOT`],
  ['or=(id.eq.1,id.eq.2)&order=id'],
  ['or=(id.eq.1,and(age.gt.35,active.is.false))&order=id'],
  ['and=(id.gt.1,or(age.is.null,age.lt.10),not.and(id.eq.3,username.eq.nope))&order=id'],
  ['not.or=(id.eq.1,id.eq.2)&order=id'],
  ['not.and=(id.gt.1,id.lt.4)&order=id'],
  ['or=(username.eq."quo\\"te,d",username.in.(supabot,"a,b"))&order=id'],
  ['or=(tags.cs.{a,b},nums.cs.{3})&order=id'],
  ['username=like(any).{s%,%zz}&order=id'],
  ['username=like.%upa%'],
  ['select=keys->!@$%^*_d->>!@$%^*_e,keys->a b-c&order=keys->!@$%^*_d,id'],
  ['keys->!@$%^*_d->>!@$%^*_e=eq.3'],
  ['or=(keys->!@$%^*_d->!@$%^*_e.eq.3,id.eq.3)&order=id'],
  ['or=(id.not.in.(1,2,3),data->>k.eq.v)&order=id'],
  ['or=( id.eq.1 , id.eq.2 )&order=id'],
  ['order=age'],
  ['order=age.desc,id'],
  ['order=age.nullsfirst,id.desc'],
  ['order=age.desc.nullslast,id'],
  ['order=data->a->>b.desc,id'],
  ['order=mood.desc.nullslast,"full name".asc'],
  ['order=id&limit=2'],
  ['order=id&limit=2&offset=2'],
  ['order=id&limit=0'],
  ['order=id&offset=10'],
  ['order=id', exact],
  ['order=id&limit=2&offset=1', exact],
  ['order=id&limit=0', exact],
  ['order=id&offset=5', exact],
  ['id=eq.1', exact],
  ['id=eq.77', exact],
  ['order=id&limit=5', exact],
  ['order=id&limit=3', { range: '1-2', ...exact }],
  ['order=id', { range: '0-1' }],
  ['order=id', { range: '3-', 'range-unit': 'items' }],
  ['order=id', { range: 'nonsense' }],
  ['id=lt.3&order=id&limit=1', { prefer: 'count=planned' }],
  ['order=id&limit=1', { prefer: 'count=estimated' }],
  ['id=eq.1', { accept: 'application/vnd.pgrst.object+json' }],
  ['order=id', { accept: 'application/vnd.pgrst.array+json;nulls=stripped' }],
  ['id=eq.3', { accept: 'application/vnd.pgrst.object+json;nulls=stripped' }],
  ['select=id,username,tags,age,catchphrase&username=not.like.*"*&order=id', { accept: 'text/csv' }],
  ['', { accept: 'text/csv' }, 'none'],
  ['order=id', exact, 'adults'],
  ['select=username&age=gt.30', {}, 'adults'],
  ['', exact, 'none'],
]

describe('reads that PostgREST answers', () => {
  test.each(named(cases))('$query $headers', async ({ query, headers, table }) => {
    const path = `${t}_${table}?${query}`
    const expected = await callDb(`${postgrest.url}/${path}`, {}, { headers })
    const actual = await quoin(path, { headers })
    expect(summary(actual)).toEqual(summary(expected))
    expect(actual.status).toBeLessThan(300)
  })

  function summary({ status, headers, text }: Awaited<ReturnType<DbCaller>>) {
    return {
      status,
      contentRange: headers.get('content-range'),
      preferenceApplied: headers.get('preference-applied'),
      text,
    }
  }
})

describe('reads that PostgREST refuses', () => {
  const refused: Case[] = [
    ['nope=eq.1'],
    ['select=nope'],
    ['order=nope'],
    ['id=eq.abc'],
    ['mood=eq.angry'],
    ['id=foo.1'],
    ['id=1'],
    ['id=is.1'],
    ['or=()'],
    ['or=(id.eq.1'],
    ['and=(id.eq.1,id.in.(1,2)'],
    ['select=data->(a'],
    ['select=a,,b'],
    ['select=id::nosuchtype'],
    ['order=id.up'],
    ['order=id&offset=9', exact],
    ['order=id', { range: '5-2' }],
    ['order=id', { accept: 'application/vnd.pgrst.object+json' }],
    ['id=eq.77', { accept: 'application/vnd.pgrst.object+json' }],
    ['', { 'accept-profile': 'private' }],
    ['', {}, 'missing'],
    ['words=fts(nosuchconfig).x'],
    ['age=like.3*'],
  ]

  test.each(named(refused))(
    '$query $headers: the same status, our shape',
    async ({ query, headers, table }) => {
      const path = `${t}_${table}?${query}`
      const expected = await callDb(`${postgrest.url}/${path}`, {}, { headers })
      const actual = await quoin(path, { headers })
      expect(actual.status).toBe(expected.status)
      expect(actual.status).toBeGreaterThanOrEqual(400)
      expect(actual.headers.get('content-range')).toBe(expected.headers.get('content-range'))
      // PostgREST sends two of a single object that is none.
      expect(actual.headers.get('content-type')).toBe(expected.headers.get('content-type')?.split(', ')[0])
      expect(actual.body).toEqual({
        error: expect.any(String),
        code: /^\d/.test(expected.body.code) ? expected.body.code : expect.any(String),
        detail: actual.body.detail,
        hint: actual.body.hint,
        request_id: expect.any(String),
      })
    },
  )
})
