// A backup goes to another cluster, and may be written by a pg_dump of the machine.

import { randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBackup } from '../../../cli/backup/read-backup.ts'
import { restoreBackup } from '../../../cli/backup/restore-backup.ts'
import { verifyBackup } from '../../../cli/backup/verify-backup.ts'
import { runMigrations } from '../../../cli/migrations.ts'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { startPostgres, type TestPostgres } from '../../gateway/support.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { askAt, backupOf, run, testFolder } from './support.ts'

let cluster: TestPostgres
const GRANTED = `granted_${randomBytes(6).toString('hex')}`

beforeAll(async () => {
  cluster = await startPostgres()
})
afterAll(async () => {
  await cluster?.remove()
  await run(`drop role if exists ${GRANTED}`)
})

it('makes Quoin’s own roles in another cluster, and asks for the others', async () => {
  await using source = await migrationDatabase()
  await source.owner.query('create table public.t as select 1 as a; grant select on public.t to anon')
  const database = new URL(source.url).pathname.slice(1)
  await source.owner.query(
    `create role ${GRANTED} nologin; revoke all on database ${database} from public;
     grant connect on database ${database} to ${GRANTED}`,
  )
  using folder = testFolder()
  const SECRETS_KEY = Buffer.alloc(32, 1).toString('base64')
  const { location } = await backupOf(source.url, folder.path, { SECRETS_KEY })
  const backup = await openBackup(location)
  const [url, lines] = [new URL(cluster.url()), [] as string[]]
  const log = (line: string) => lines.push(line)
  await cluster.admin.query('alter role app createrole bypassrls')
  await expect(restoreBackup(url.href, backup, { life: 'new', env: {}, log })).rejects.toThrow(
    new RegExp(`roles that this cluster lacks[^]*create role "${GRANTED}" nologin[^]*"quoin_owner" login`),
  )
  await cluster.admin.query(`create role ${GRANTED} nologin`)
  await cluster.admin.query(
    "create role quoin_owner login createrole createdb bypassrls password 'QUOIN_OWNER'",
  )
  await cluster.admin.query('create database moved owner quoin_owner')
  url.pathname = '/moved'
  url.username = 'quoin_owner'
  url.password = 'QUOIN_OWNER'
  const other = { SECRETS_KEY: Buffer.alloc(32, 2).toString('base64') }
  // One right that cannot be given leaves the others as they were.
  backup.manifest.database.grants?.push({ grantee: 'nobody', privilege: 'CONNECT', is_grantable: false })
  await restoreBackup(url.href, backup, { life: 'new', env: other, log })
  expect(lines).toContainEqual(
    'not done, do it yourself: grant CONNECT on database "moved" to "nobody" (role "nobody" does not exist)',
  )
  const MAY_CONNECT = `
    select has_database_privilege('${GRANTED}', 'moved', 'connect') as granted,
      has_database_privilege('public', 'moved', 'connect') as public`
  expect(await askAt(url.href, MAY_CONNECT)).toEqual([{ granted: true, public: false }])
  expect(lines).toContainEqual('roles made: authenticator, anon, service_role, quoin_outbox, quoin_storage')
  expect(lines).toContainEqual(expect.stringContaining('WARNING: SECRETS_KEY is another'))
  const ROLES = `
    select rolname, rolcanlogin, rolinherit, rolbypassrls from pg_roles
    where rolname in ('authenticator', 'anon', 'service_role', 'quoin_outbox', 'quoin_storage')
    order by 1`
  expect(await askAt(url.href, ROLES)).toEqual(await askAt(source.url, ROLES))
  const RIGHTS = `
    select pg_has_role('authenticator', 'anon', 'set') as may_set, pg_has_role('authenticator', 'anon', 'usage') as has,
      has_table_privilege('anon', 'public.t', 'select') as anon_reads`
  expect(await askAt(url.href, RIGHTS)).toEqual([{ may_set: true, has: false, anon_reads: true }])
})

// The superuser who restores gives the owner no ADMIN: so the owner could not grant itself what it did not make.
it('leaves the roles of later migrations to these, so that the owner can go on', async () => {
  const another = await startPostgres()
  try {
    await another.admin.query(
      "create role quoin_owner login createrole createdb bypassrls password 'QUOIN_OWNER'",
    )
    await another.admin.query('create database former owner quoin_owner')
    const urlOf = (user: string) => Object.assign(new URL(another.url(user)), { pathname: '/former' }).href
    const backup = await openBackup(join(PROJECT_DIR, 'test/fixtures/upgrade/0008'))
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    await restoreBackup(urlOf('postgres'), backup, { life: 'new', otherLocale: true, env: {}, log })
    expect(lines).toContainEqual('roles made: authenticator, anon, service_role, quoin_outbox')
    expect(await runMigrations(urlOf('quoin_owner'), 'up', ['platform'], log)).toContain(
      '0012_create-storage',
    )
  } finally {
    await another.remove()
  }
})

/** Speaks as pg_dump does: a file, a password in the environment, and psql's own commands around the text. */
const STAND_IN = (version: string) => `#!${process.execPath}
import { writeFileSync } from 'node:fs'
const { runBundledDump } = await import('${PROJECT_DIR}/cli/backup/bundled-dump.ts')
const args = process.argv.slice(2)
if (args[0] === '--version') console.log('pg_dump (PostgreSQL) ${version}')
else {
  const value = name => args.find(arg => arg.startsWith(name + '=')).slice(name.length + 1)
  const url = new URL(value('--dbname'))
  if (url.password !== '' || !process.env.PGPASSWORD) throw new Error('the password is among the arguments')
  url.password = process.env.PGPASSWORD
  const rest = args.filter(arg => !/^--(?:file|dbname)=/.test(arg))
  const text = await runBundledDump(url.href, rest)
  const restricted = text.replace('dump\\n--\\n', 'dump\\n--\\n\\n\\\\restrict k\\n')
  writeFileSync(value('--file'), restricted + '\\\\unrestrict k\\n')
}
`

it('takes the pg_dump of PG_DUMP, unless it is older than the server; the format is the same', async () => {
  await using source = await migrationDatabase()
  using folder = testFolder()
  const program = join(folder.path, 'pg_dump.mjs')
  const use = (version: string) => {
    writeFileSync(program, STAND_IN(version))
    chmodSync(program, 0o755)
    return { ...process.env, PG_DUMP: program }
  }
  const old = backupOf(source.url, folder.path, use('15.2'))
  await expect(old).rejects.toThrow(`needs pg_dump 18 or newer; PG_DUMP is ${program}, version 15`)
  const { location, manifest } = await backupOf(source.url, folder.path, use('18.9'))
  expect(manifest.schema_by).toBe('pg_dump (PostgreSQL) 18.9')
  await verifyBackup(source.url, await openBackup(location), { env: {}, log: () => {} })
})
