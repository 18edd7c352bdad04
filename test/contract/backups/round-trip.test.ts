// What goes into a backup comes out of it: rows, objects, rights, webhooks and what waits for them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dropDatabase } from '../../../cli/backup/databases.ts'
import { openBackup } from '../../../cli/backup/read-backup.ts'
import { restoreBackup } from '../../../cli/backup/restore-backup.ts'
import { verifyBackup } from '../../../cli/backup/verify-backup.ts'
import { storeApiKey } from '../../../cli/support/api-key.ts'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { writeBranchComment } from '../../../src/features/backups/branch-comment.ts'
import { splitStatements } from '../../../src/features/migrations/statements/split-statements.ts'
import { type MigrationDatabase, migrationDatabase } from '../../support/migrations.ts'
import { asCaller, askAt, backupOf, command, emptyDatabase, run, runIn, testFolder } from './support.ts'

const quiet = { env: {}, log: () => {} }

const NOTES = `
  create table public.notes (id bigint generated always as identity primary key, owner text, note text);
  alter table public.notes enable row level security;
  create policy read_own on public.notes for select to anon using (owner = 'everybody');
  grant select on public.notes to anon;
  insert into public.notes (owner, note) values ('everybody', E'tab\\there \\\\ and "quotes"'), ('nobody', 'hidden');
  create function public.shout(word text) returns text language sql immutable as 'select upper(word)';
  grant execute on function public.shout(text) to anon;
  insert into storage.buckets (id, name) values ('letters', 'letters');
  insert into storage.objects (bucket_id, name, version, metadata) values
    ('letters', 'everybody/hello.txt', 'a1', '{"size": 12, "eTag": "\\"e1\\""}'),
    ('letters', 'nobody/hidden.txt', 'a2', '{"size": 30, "eTag": "\\"e2\\""}'), ('letters', 'nobody/empty', null, null);
  create policy read_own on storage.objects for select to anon using (storage.foldername(name) = '{everybody}');
  alter database %DATABASE% set work_mem = '5MB'`

/** As a migration makes it. */
const FORMER_DATABASES = `
  create table if not exists quoin.former_databases (epoch uuid primary key, gone_at timestamptz);`

async function notesDatabase(): Promise<MigrationDatabase & { name: string }> {
  const database = await migrationDatabase()
  const name = new URL(database.url).pathname.slice(1)
  await database.owner.query(NOTES.replace('%DATABASE%', name))
  return Object.assign(database, { name })
}

async function watchNotes({ owner }: MigrationDatabase): Promise<void> {
  await owner.query(`
    insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url, secret_encrypted)
      values ('of notes', 'public', 'notes', 'public.notes'::regclass, '{INSERT}', 'https://example.com', 'v1.sealed');
    select quoin.apply_watch('public.notes'::regclass);
    insert into public.notes (owner, note) values ('everybody', 'waits in the outbox')`)
}

const CALLS = [
  'select * from public.notes order by id',
  "select public.shout('hello')",
  'select name, version, metadata, path_tokens, updated_at from storage.objects order by name',
  'select count(*) from pg_policies',
  'show work_mem',
]

it('gives callers the same answers after a restore, and webhooks what waited for them', async () => {
  await using source = await notesDatabase()
  await watchNotes(source)
  const key = await storeApiKey(source.owner, { role: 'service_role', name: 'kept' })
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  await using target = await emptyDatabase()
  const { code, stderr } = await command(target.url, 'restore.ts', location)
  expect(stderr).toContain('SECRETS_KEY was not set')
  expect(code).toBe(0)

  for (const role of ['anon', 'service_role'] as const)
    for (const sql of CALLS)
      expect(await asCaller(target.name, role, sql)).toEqual(await asCaller(source.name, role, sql))
  expect(await target.ask('select key_hash from quoin.api_keys')).toEqual([{ key_hash: key.keyHash }])
  const WEBHOOKS = `select name, url, events, secret_encrypted, active from quoin.webhooks`
  expect(await target.ask(WEBHOOKS)).toEqual(await askAt(source.url, WEBHOOKS))
  // The table has another oid here: what waits and what comes are for the webhook all the same.
  await target.ask("insert into public.notes (owner, note) values ('everybody', 'new')")
  const EVENTS = `
    select w.name, e.event, c.new::json ->> 'note' as note
    from quoin.row_events e join quoin.webhooks w using (table_id) cross join quoin.changes_in(e) c order by e.id`
  expect(await target.ask(EVENTS)).toEqual([
    { name: 'of notes', event: 'INSERT', note: 'waits in the outbox' },
    { name: 'of notes', event: 'INSERT', note: 'new' },
  ])
  expect(await target.ask('select * from quoin.recording_failures(5)')).toEqual([])
  // Sequences go on where they stood.
  expect(await target.ask('select max(id)::int as id from public.notes')).toEqual([{ id: 4 }])
})

it('begins a new life: another epoch, and versions beyond all that anybody remembers', async () => {
  await using source = await notesDatabase()
  await storeApiKey(source.owner, { role: 'anon', name: 'kept' })
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  await using target = await emptyDatabase()
  await restoreBackup(target.url, await openBackup(location), { life: 'new', ...quiet })
  const EPOCH = 'select epoch from quoin.database_epoch'
  const [[former], [here]] = [
    await askAt<{ epoch: string }>(source.url, EPOCH),
    await target.ask<{ epoch: string }>(EPOCH),
  ]
  expect(here?.epoch).toMatch(/^[0-9a-f-]{36}$/)
  expect(here).not.toEqual(former)
  // A second restore of the same backup is later than the first, and than what was changed there.
  const VERSION = 'select version::float8 from quoin.api_keys'
  await target.ask('update quoin.api_keys set version = version + 1')
  const [first] = await target.ask<{ version: number }>(VERSION)
  await using next = await emptyDatabase()
  await restoreBackup(next.url, await openBackup(location), { life: 'new', ...quiet })
  const [second] = await next.ask<{ version: number }>(VERSION)
  expect(first?.version).toBeGreaterThan(1_000_001)
  expect(second?.version).toBeGreaterThan(first?.version ?? Infinity)
  // The backups of the other database are not this one's.
  expect(await target.ask('select * from quoin.backups')).toEqual([])
})

it('leaves what is to be deleted to the database it is of, and remembers whose files the rows name', async () => {
  await using source = await notesDatabase()
  await source.owner.query(`
    ${FORMER_DATABASES}
    insert into quoin.former_databases values ('0a4d4b52-16ae-4c0e-9cd4-7f9c4d8bb7a1', now());
    insert into quoin.storage_claims (id, bucket_id, name, version, metadata)
      values (gen_random_uuid(), 'letters', 'new.txt', 'a3', '{}');
    delete from storage.objects where version = 'a2'`)
  using folder = testFolder()
  const { location, manifest } = await backupOf(source.url, folder.path)
  expect(manifest.storage).toEqual({ buckets: 1, objects: 2, bytes: 12, objects_without_version: 1 })
  await using target = await emptyDatabase()
  await restoreBackup(target.url, await openBackup(location), { life: 'new', ...quiet })
  const RECORDS = `
    select (select count(*)::int from quoin.lost_versions) as lost,
      (select count(*)::int from quoin.storage_claims) as claims,
      (select count(*)::int from quoin.storage_sweeps) as sweeps`
  expect(await askAt(source.url, RECORDS)).toEqual([{ lost: 1, claims: 1, sweeps: 1 }])
  expect(await target.ask(RECORDS)).toEqual([{ lost: 0, claims: 0, sweeps: 1 }])
  // What the other database was told is gone may be gone for it alone.
  expect(
    await target.ask('select epoch, gone_at from quoin.former_databases order by epoch <> $1', [
      manifest.epoch,
    ]),
  ).toEqual([
    { epoch: manifest.epoch, gone_at: null },
    { epoch: '0a4d4b52-16ae-4c0e-9cd4-7f9c4d8bb7a1', gone_at: null },
  ])
  // What the page says of a copy that Quoin has not made.
  const page = readFileSync(join(PROJECT_DIR, 'docs/backup.md'), 'utf8')
  await target.ask(/<!-- new-life -->\n+```sql\n(.*?)```/s.exec(page)?.[1] ?? '')
  const [lives] = await target.ask<{ former: number; is_former: boolean }>(`
    select count(*)::int as former, bool_or(epoch = (select e.epoch from quoin.database_epoch e)) as is_former
    from quoin.former_databases`)
  expect(lives).toEqual({ former: 3, is_former: false })
})

it('gives what waits in the outbox later places, where the WAL has not come as far', async () => {
  await using source = await notesDatabase()
  await watchNotes(source)
  await source.owner.query('update quoin.row_events set id = id + 1000000000000')
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  await using target = await emptyDatabase()
  await restoreBackup(target.url, await openBackup(location), { life: 'new', ...quiet })
  await target.ask("insert into public.notes (note) values ('later')")
  const events = await target.ask(
    "select c.new::json ->> 'note' as note from quoin.row_events e, quoin.changes_in(e) c order by e.id",
  )
  expect(events).toEqual([{ note: 'waits in the outbox' }, { note: 'later' }])
})

it('saves and proves a schema with everything that is odd', async () => {
  await using source = await migrationDatabase()
  const text = readFileSync(join(PROJECT_DIR, 'test/fixtures/backup/odd-schema.sql'), 'utf8')
  for (const { start, end } of splitStatements(text)) await source.owner.query(text.slice(start, end))
  using folder = testFolder()
  const { location, manifest } = await backupOf(source.url, folder.path)
  await verifyBackup(source.url, await openBackup(location), quiet)
  const [row] = await askAt(
    source.url,
    `select verified_at is not null as is_verified, size_bytes > 0 as has_size, lsn is not null as has_lsn
     from quoin.backups`,
  )
  expect(row).toEqual({ is_verified: true, has_size: true, has_lsn: true })
  const rows = new Map(manifest.tables.map(it => [`${it.schema}.${it.name}`, it.row_count]))
  expect([rows.get('public.gen'), rows.get('public.nocols'), rows.get('Odd "Schema.Weird "Table')]).toEqual([
    1000, 2, 3,
  ])
})

it('leaves aside what pg_dump leaves out: invalid indexes, and defaults of roles that it cannot act for', async () => {
  await using source = await notesDatabase()
  await source.owner.query('insert into public.notes (owner) values ($1)', ['nobody'])
  await expect(
    source.owner.query('create unique index concurrently broken on public.notes (owner)'),
  ).rejects.toThrow('could not create unique index')
  await runIn(source.name, 'alter default privileges for role postgres grant select on tables to anon')
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  await verifyBackup(source.url, await openBackup(location), quiet)
  // A provider puts such defaults into each database.
  await using target = await emptyDatabase()
  await runIn(target.name, 'alter default privileges for role postgres grant select on tables to anon')
  const said: string[] = []
  await restoreBackup(target.url, await openBackup(location), {
    life: 'new',
    env: {},
    log: line => said.push(line),
  })
  expect(said.join('\n')).toMatch(
    /not done, do it yourself: ALTER DEFAULT PRIVILEGES FOR ROLE postgres .*anon/,
  )
})

it('makes a branch beside the database, which tells nobody of changes', async () => {
  await using source = await notesDatabase()
  await watchNotes(source)
  using folder = testFolder()
  const { location } = await backupOf(source.url, folder.path)
  expect(await command(source.url, 'branch.ts', 'Trial Name')).toMatchObject({ code: 1, stdout: '' })
  const database = `${source.name}_branch_trial`
  // A run that was cut off has left this.
  await run(`create database ${database}`)
  const left = { name: 'trial', parent: source.name, state: 'creating', backup_id: 'x' } as const
  const comment = writeBranchComment({ ...left, created_at: new Date().toISOString() })
  await run(`comment on database ${database} is '${comment}'`)
  const made = await command(source.url, 'branch.ts', 'trial')
  try {
    expect(made).toMatchObject({ code: 0, stdout: `${database}\n` })
    expect(await asCaller(database, 'anon', 'select count(*)::int as n from public.notes')).toEqual([
      { n: 2 },
    ])
    const url = new URL(source.url)
    url.pathname = `/${database}`
    expect(
      await askAt(
        url.href,
        'select active, (select count(*)::int from quoin.row_events) as waiting from quoin.webhooks',
      ),
    ).toEqual([{ active: false, waiting: 0 }])
    const again = await command(source.url, 'branch.ts', 'trial')
    expect(again).toMatchObject({ code: 1 })
    expect(again.stderr).toContain('already')
  } finally {
    await dropDatabase(source.url, database)
  }
  expect(location).toContain(folder.path)
})
