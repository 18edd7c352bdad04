// The role that the triggers of files run as: what it may, and that nothing but these triggers runs as it.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MigrationDatabase, migrationDatabase } from '../../support/migrations.ts'

let database: MigrationDatabase

beforeAll(async () => {
  database = await migrationDatabase()
})
afterAll(async () => {
  await database?.[Symbol.asyncDispose]()
})

async function ask<Row extends object>(sql: string): Promise<Row[]> {
  return (await database.owner.query<Row>(sql)).rows
}

/** The SQL as this role, in a transaction that is taken back. */
async function askAs(role: string, sql: string): Promise<object[]> {
  await ask('begin')
  try {
    await ask(`set local role ${role}`)
    return await ask(sql)
  } finally {
    await ask('rollback')
  }
}

it('holds exactly the rights that its functions need', async () => {
  const rights = await ask(`
    select * from (select c.oid::regclass::text as on, a.privilege_type as right
      from pg_class c cross join aclexplode(c.relacl) a where a.grantee = 'quoin_storage'::regrole
    union all select c.oid::regclass || '.' || t.attname, a.privilege_type
      from pg_attribute t join pg_class c on c.oid = t.attrelid cross join aclexplode(t.attacl) a
      where a.grantee = 'quoin_storage'::regrole
    union all select n.nspname, a.privilege_type
      from pg_namespace n cross join aclexplode(n.nspacl) a where a.grantee = 'quoin_storage'::regrole) rights
    order by "on" collate "C", "right"`)
  expect(rights).toEqual([
    { on: 'quoin', right: 'USAGE' },
    { on: 'quoin.lost_versions.bucket_id', right: 'INSERT' },
    { on: 'quoin.lost_versions.bucket_id', right: 'SELECT' },
    { on: 'quoin.lost_versions.lost_at', right: 'UPDATE' },
    { on: 'quoin.lost_versions.version', right: 'INSERT' },
    { on: 'quoin.lost_versions.version', right: 'SELECT' },
    { on: 'quoin.storage_claims', right: 'DELETE' },
    { on: 'quoin.storage_claims.bucket_id', right: 'SELECT' },
    { on: 'quoin.storage_claims.created_at', right: 'UPDATE' },
    { on: 'quoin.storage_claims.id', right: 'SELECT' },
    { on: 'quoin.storage_claims.metadata', right: 'SELECT' },
    { on: 'quoin.storage_claims.name', right: 'SELECT' },
    { on: 'quoin.storage_claims.version', right: 'SELECT' },
  ])
})

it('owns its functions and nothing else', async () => {
  const owned = await ask<{ what: string }>(`
    select pg_describe_object(classid, objid, objsubid) as what from pg_shdepend
    where refclassid = 'pg_authid'::regclass and refobjid = 'quoin_storage'::regrole and deptype = 'o'
      and dbid = (select oid from pg_database where datname = current_database())
    order by 1`)
  expect(owned.map(({ what }) => what)).toEqual([
    'function quoin.note_lost_versions()',
    'function quoin.take_version()',
    'function quoin.use_claim()',
  ])
})

// Whoever found a way to run SQL in a trigger would get no further than this.
it.each([
  'select from storage.objects',
  'select from storage.buckets',
  'select opened_by from quoin.storage_claims',
  'insert into quoin.storage_claims select * from quoin.storage_claims',
  "update quoin.storage_claims set version = 'another'",
  'delete from quoin.lost_versions',
  'select from quoin.api_keys',
  'create function quoin.trap() returns int return 1',
])('may not: %s', async sql => {
  await expect(askAs('quoin_storage', sql)).rejects.toMatchObject({ code: '42501' })
})

it('may log in nowhere, and has no attribute that gives it more', async () => {
  const strong = await ask(`
    select from pg_roles where rolname = 'quoin_storage' and (rolcanlogin or rolinherit or rolsuper or rolcreaterole
      or rolcreatedb or rolreplication or rolbypassrls)`)
  expect(strong).toEqual([])
})

it.each(['anon', 'service_role', 'authenticator'])('is nobody that %s can become', async role => {
  const [found] = await ask(`select pg_has_role('${role}', 'quoin_storage', 'member') as may`)
  expect(found).toEqual({ may: false })
})

// Without a note their blobs would stay for ever.
it.each(['anon', 'service_role'])(
  'lets %s truncate no files, not even with the right to it: that says why',
  async role => {
    await ask(`grant truncate on storage.objects to ${role}`)
    await expect(askAs(role, 'truncate storage.objects')).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('Only the owner of storage.objects can truncate it'),
      hint: expect.stringContaining('DELETE FROM storage.objects'),
    })
  },
)

it('lets nobody truncate from whom policies hide files, whatever else it may', async () => {
  await ask(`
    grant truncate on storage.objects to anon;
    grant select, insert, update on quoin.lost_versions to anon`)
  await expect(askAs('anon', 'truncate storage.objects')).rejects.toMatchObject({
    code: '42501',
    detail: expect.stringContaining('row-level security'),
  })
})
