// What is no whole backup is never taken for one, and what cannot be restored is refused before anything is written.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Manifest, sha256Of } from '../../../cli/backup/manifest.ts'
import { openBackup } from '../../../cli/backup/read-backup.ts'
import { restoreBackup } from '../../../cli/backup/restore-backup.ts'
import { verifyBackup } from '../../../cli/backup/verify-backup.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { asCaller, askAt, backupOf, command, emptyDatabase, testFolder } from './support.ts'

const quiet = { env: {}, log: () => {} }

/** The backup with another manifest, whose hash is right. */
function withManifest(location: string, change: (manifest: Manifest) => unknown): string {
  const changed = `${location}-changed`
  rmSync(changed, { recursive: true, force: true })
  cpSync(location, changed, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(location, 'manifest.json'), 'utf8')) as Manifest
  change(manifest)
  const text = JSON.stringify(manifest)
  writeFileSync(join(changed, 'manifest.json'), text)
  writeFileSync(join(changed, 'manifest.json.sha256'), sha256Of(text))
  return changed
}

it('refuses by name what is cut off, changed, missing or newer, and writes nothing', async () => {
  await using source = await migrationDatabase()
  await source.owner.query(
    "create table public.t as select 'some text ' || g as a from generate_series(1, 500) g",
  )
  using folder = testFolder()
  const { location, manifest } = await backupOf(source.url, folder.path)
  await using target = await emptyDatabase()
  const refusal = async (place: string) => {
    const { code, stderr } = await command(target.url, 'restore.ts', place)
    expect(code).toBe(1)
    return stderr
  }
  const file = manifest.tables.find(({ name }) => name === 't')?.compressed.file ?? ''
  const damaged = `${location}-damaged`
  const damage = (how: (path: string) => void) => {
    cpSync(location, damaged, { recursive: true })
    how(join(damaged, file))
    return refusal(damaged)
  }
  expect(await damage(path => truncateSync(path, 100))).toContain(
    `cut off: ${join(damaged, file)} has 100 of`,
  )
  expect(await damage(path => rmSync(path))).toContain(`${join(damaged, file)} is missing`)
  const flipped = readFileSync(join(location, file))
  flipped[50] = (flipped[50] ?? 0) ^ 1
  expect(await damage(path => writeFileSync(path, flipped))).toContain(`changed: ${join(damaged, file)}`)
  copyFileSync(join(location, file), join(damaged, file))
  writeFileSync(
    join(damaged, 'manifest.json'),
    readFileSync(join(damaged, 'manifest.json'), 'utf8').replace('"t"', '"u"'),
  )
  expect(await refusal(damaged)).toContain('manifest.json was changed')
  rmSync(join(damaged, 'manifest.json'))
  expect(await refusal(damaged)).toContain('no whole backup: it has no manifest.json')
  expect(await refusal(folder.path)).toContain(`there are backups in it`)
  expect(await refusal(`${location}-nowhere`)).toContain('there is no folder')

  const partial = join(folder.path, '.partial-x')
  cpSync(location, partial, { recursive: true })
  expect(await refusal(partial)).toContain('is a backup that was cut off')

  const changed = (change: (manifest: Manifest) => unknown) => refusal(withManifest(location, change))
  expect(await changed(it => Object.assign(it, { format: 2 }))).toContain('format 2, of a newer Quoin')
  expect(await changed(it => it.platform_migrations.push('0999_from-the-future'))).toContain(
    'newer Quoin (0.1.0',
  )
  expect(
    await changed(it => Object.assign(it, { postgres_version_number: 990_001, postgres_version: '99.1' })),
  ).toContain('is of Postgres 99.1, and this server is Postgres')
  const missing = await changed(it => it.roles.push({ name: 'nobody_here', attributes: 'nologin' }))
  expect(missing).toContain('create role "nobody_here" nologin;')
  expect(await changed(it => it.extensions.push({ name: 'nowhere', version: '1' }))).toContain(
    'lacks extensions of the backup: nowhere',
  )
  expect(await changed(it => Object.assign(it.database, { lc_collate: 'xx' }))).toMatch(
    /the database has UTF8, .*make it anew with create database "backups_\w+" template .* lc_collate 'xx'/,
  )
  expect(
    await changed(it => Object.assign(it.tables[0]?.compressed ?? {}, { file: '../../etc/passwd' })),
  ).toContain('is not a manifest')
  expect(await target.ask("select from pg_namespace where nspname = 'quoin'")).toEqual([])
})

it('restores into an empty database alone, all of it or nothing', async () => {
  await using source = await migrationDatabase()
  await source.owner.query('create table public.t (a int check (a > 0)); insert into public.t values (1)')
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  await using target = await emptyDatabase()
  await target.ask('create type public.mood as enum ()')
  const refused = await command(target.url, 'restore.ts', location)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('not empty: it has type public.mood')
  await target.ask('drop type public.mood')

  // A row that the schema refuses, with hashes that are right: what was written before it goes again.
  const broken = withManifest(location, manifest => {
    const post = readFileSync(join(location, 'schema-after-rows.sql'), 'utf8')
    const text = `${post}\nselect 1 / 0;\n`
    writeFileSync(join(location, 'schema-after-rows.sql'), text)
    cpSync(location, `${location}-changed`, { recursive: true })
    Object.assign(manifest.schema.post_data, { bytes: Buffer.byteLength(text), sha256: sha256Of(text) })
  })
  const failed = await command(target.url, 'restore.ts', broken)
  expect(failed.code).toBe(1)
  expect(failed.stderr).toMatch(/schema-after-rows\.sql:\d+: division by zero\n {2}select 1 \/ 0/)
  expect(await target.ask("select nspname from pg_namespace where nspname = 'quoin'")).toEqual([])
})

it('says that a restored database differs, and drops it', async () => {
  await using source = await migrationDatabase()
  await source.owner.query('create table public.t as select 1 as a; create sequence public.s')
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  const changed = withManifest(location, ({ sequences }) =>
    sequences.push({ schema: 'public', name: 'gone', last_value: '1', is_called: true }),
  )
  const unset = verifyBackup(source.url, await openBackup(changed), quiet)
  await expect(unset).rejects.toThrow('the sequence public.gone cannot be set')
  const rows = withManifest(location, ({ tables }) => {
    for (const table of tables) {
      if (table.name === 't') table.sha256 = 'a'.repeat(64)
      if (table.name === 'projects') table.row_count += 1
    }
  })
  await askAt(source.url, 'create database quoin_verify_0123456789ab')
  const verified = verifyBackup(source.url, await openBackup(rows), quiet)
  await expect(verified).rejects.toThrow(
    /public\.t has other content in its 1 rows[\s\S]*quoin\.projects has 1 rows in place of 2/,
  )
  expect(await askAt(source.url, 'select verified_at from quoin.backups')).toEqual([{ verified_at: null }])
  // What an earlier run has left is gone as well; other tests have theirs for a while.
  const scratch = () => askAt(source.url, "select datname from pg_database where datname ~ '^quoin_verify_'")
  await expect.poll(scratch).toEqual([])
})

it('leaves nothing that looks whole on a full disk or a lost connection, and its row says so', async () => {
  await using source = await migrationDatabase()
  await source.owner.query(`
    create table public.large as select g, sha512(g::text::bytea) as noise from generate_series(1, 150000) g`)
  using folder = testFolder()
  let said = ''
  try {
    // A file may have a megabyte: writing more fails as on a full disk.
    execFileSync(
      'bash',
      [
        '-c',
        'ulimit -f 1024; trap "" XFSZ; exec "$@"',
        'x',
        process.execPath,
        'cli/backup.ts',
        '--to',
        folder.path,
      ],
      {
        env: { ...process.env, DATABASE_URL: source.url },
        stdio: 'pipe',
      },
    )
  } catch (err) {
    said = String((err as { stderr: Buffer }).stderr)
    expect((err as { status: number }).status).toBe(1)
  }
  expect(said).toContain('public.large cannot be copied: EFBIG')
  expect(readdirSync(folder.path)).toEqual([])

  const lost = backupOf(source.url, folder.path, { PG_DUMP: '' })
  const cut = async () => {
    const { rows } = await source.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'quoin:backup' and query ~ '^copy'`)
    return rows.length
  }
  const ended = lost.then(
    () => 'whole',
    err => String(err),
  )
  await expect.poll(cut, { interval: 1 }).toBeGreaterThan(0)
  expect(await ended).toMatch(/cannot be copied|terminat/)
  expect(readdirSync(folder.path)).toEqual([])
  await expect(backupOf(source.url, '/dev/null/backups')).rejects.toThrow('ENOTDIR')
  const rows = await askAt(source.url, 'select status, error from quoin.backups order by started_at')
  expect(rows).toEqual([
    { status: 'failed', error: expect.stringContaining('EFBIG') },
    { status: 'failed', error: expect.any(String) },
    { status: 'failed', error: expect.stringContaining('ENOTDIR') },
  ])
})

it('refuses a second backup at the same time, large objects, and a pg_dump that is too old', async () => {
  await using source = await migrationDatabase()
  using folder = testFolder()
  await source.owner.query('begin; lock table quoin.backups in share update exclusive mode')
  await expect(backupOf(source.url, folder.path)).rejects.toThrow(
    'another backup of this database is under way',
  )
  await source.owner.query('rollback')
  await expect(backupOf(source.url, folder.path, { PG_DUMP: '/nowhere/pg_dump' })).rejects.toThrow(
    /PG_DUMP is \/nowhere\/pg_dump, and cannot be run\. Install the client programs/,
  )
  await source.owner.query("select lo_from_bytea(0, 'x')")
  await expect(backupOf(source.url, folder.path)).rejects.toThrow('1 large objects')
  expect(readdirSync(folder.path)).toEqual([])
})

/** What a caller can leave in a database: it tries to become whoever runs it, and to stand in for a type. */
const TRAP = `
  create table evil.seen (who text, path text);
  create function evil.take() returns boolean language plpgsql as $$ begin
    begin execute 'reset role'; exception when others then null; end;
    begin execute 'set session authorization default'; exception when others then null; end;
    begin execute 'create domain pg_temp.text as pg_catalog.text check (evil.take())';
      exception when others then null; end;
    insert into evil.seen values (current_user, current_setting('search_path'));
    perform set_config('search_path', 'evil', false);
    return true;
  end $$;
  create domain evil.word as text check (evil.take());
  create table evil.a_trap (a int check (evil.take()), w evil.word, ws evil.word[]);
  create table evil.parts (w evil.word) partition by list (w);
  create table evil.part_x partition of evil.parts for values in ('x');
  create type evil.odd as enum ('a');
  create function evil.odd_int(evil.odd) returns int language plpgsql as $$ begin
    perform evil.take(); return 1; end $$;
  create cast (evil.odd as int) with function evil.odd_int(evil.odd) as implicit;
  create table evil.pk (k int primary key); insert into evil.pk values (1);
  create table evil.fk (e evil.odd references evil.pk); insert into evil.fk values ('a');
  create table evil.late (a int); insert into evil.late values (1);
  create function evil.late_ok(evil.late) returns boolean language sql as 'select evil.take()';
  alter table evil.late add constraint behind_rows check (evil.late_ok(late.*))`

it('runs no code of callers with the rights of whoever restores', async () => {
  await using source = await migrationDatabase()
  await source.owner.query('create schema evil; grant all on schema evil to service_role')
  const database = new URL(source.url).pathname.slice(1)
  for (const sql of [TRAP, "insert into evil.a_trap values (1, 'x', '{y}')", 'delete from evil.seen'])
    await asCaller(database, 'service_role', sql)
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  await using target = await emptyDatabase()
  await restoreBackup(target.url, await openBackup(location), { life: 'new', ...quiet })
  expect(await target.ask('select distinct who from evil.seen')).toEqual([{ who: 'service_role' }])
  expect(await target.ask('select * from evil.a_trap')).toEqual([{ a: 1, w: 'x', ws: '{y}' }])
  // It ran in a restore, and not only when the row was first written.
  expect(await target.ask("select from evil.seen where path like '%pg_temp%'")).not.toEqual([])
})

it('looks names up in public only where callers have nothing there that runs', async () => {
  await using source = await migrationDatabase()
  await source.owner.query('create schema ext; create extension citext schema ext')
  using folder = testFolder()
  const path = async (): Promise<string[]> => {
    const { manifest } = await backupOf(source.url, folder.path)
    return manifest.search_path
  }
  const database = new URL(source.url).pathname.slice(1)
  const asService = (sql: string) => asCaller(database, 'service_role', sql)
  expect(await path()).toEqual(['public', 'ext'])
  await asService('create table public.plain (a int, b text[])')
  expect(await path()).toEqual(['public', 'ext'])
  for (const [make, drop] of [
    ['create function public.f() returns int language sql as $$select 1$$', 'drop function public.f()'],
    ['create view public.v as select 1 as one', 'drop view public.v'],
    ['create domain public.d as text check (true)', 'drop domain public.d'],
    ['create table public.citext (a int)', 'drop table public.citext'],
  ] as const) {
    await asService(make)
    expect([make, await path()]).toEqual([make, ['ext']])
    await asService(drop)
  }
})

it('has all tables or is none: one that the role may not read is named', async () => {
  await using source = await migrationDatabase()
  using folder = testFolder()
  const role = `closed_${randomBytes(6).toString('hex')}`
  await source.owner.query(`
    create role ${role} nologin; grant ${role} to current_user with inherit false, set true;
    create schema theirs; grant all on schema theirs to ${role}; set role ${role};
    create table theirs.secrets (a int); reset role`)
  try {
    await expect(backupOf(source.url, folder.path)).rejects.toThrow(
      'may not read theirs.secrets: a backup has all',
    )
    expect(readdirSync(folder.path)).toEqual([])
  } finally {
    await source.owner.query(
      `set role ${role}; drop table theirs.secrets; reset role; drop schema theirs; drop role ${role}`,
    )
  }
})
