// What others do to the schema while a backup is made does not run in it, and does not make it a backup of nothing.

import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { runBundledDump } from '../../../cli/backup/bundled-dump.ts'
import { openBackup } from '../../../cli/backup/read-backup.ts'
import { verifyBackup } from '../../../cli/backup/verify-backup.ts'
import { makeBackup } from '../../../cli/backup/write-backup.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { asCaller, askAt, backupOf, testFolder } from './support.ts'

/** A backup beside which `work` is begun when its snapshot is taken. */
async function backupBeside(url: string, folder: string, work: () => Promise<unknown>) {
  let beside: Promise<unknown> | undefined
  const log = (line: string) => {
    if (line.startsWith('schema, by')) beside ??= work()
  }
  const made = await makeBackup(url, { folder, env: {}, log })
  await beside
  return made
}

async function anotherSession(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

it('runs no view that a caller puts in the place of a sequence', async () => {
  await using source = await migrationDatabase()
  await source.owner.query('create schema evil; grant all on schema evil to service_role')
  const database = new URL(source.url).pathname.slice(1)
  await asCaller(
    database,
    'service_role',
    `create sequence evil.ran; create sequence evil.s;
     create function evil.take() returns bigint language plpgsql as $$ begin
       if current_user <> 'service_role' then perform nextval('evil.ran'); end if; return 1; end $$`,
  )
  using folder = testFolder()
  const swap = () =>
    asCaller(
      database,
      'service_role',
      `alter sequence evil.s rename to former;
       create view evil.s as select evil.take() as last_value, true as is_called`,
    )
  await backupBeside(source.url, folder.path, swap).catch(() => {})
  expect(await askAt(source.url, 'select is_called from evil.ran')).toEqual([{ is_called: false }])
  expect(await askAt(source.url, "select from pg_views where viewname = 's'")).toHaveLength(1)
})

it('has the rows of tables that were written anew while it waited for them', async () => {
  await using source = await migrationDatabase()
  await using other = await anotherSession(source.url)
  await source.owner.query(`
    create table public.emptied as select 1 as a; create table public.rewritten as select 1 as a;
    create table public.renamed (a int)`)
  using folder = testFolder()
  await other.query(`
    begin; truncate public.emptied; insert into public.emptied values (2), (3);
    alter table public.rewritten alter a type bigint; alter table public.renamed rename to other_name;
    create table public.made as select 1 as a`)
  const making = backupOf(source.url, folder.path)
  const WAITS = "select from pg_locks where not granted and relation = 'public.emptied'::regclass"
  await expect.poll(() => askAt(source.url, WAITS)).toHaveLength(1)
  await other.query('commit')
  const { manifest } = await making
  const rows = new Map(manifest.tables.map(it => [it.name, it.row_count]))
  expect(['emptied', 'rewritten', 'renamed', 'other_name', 'made'].map(name => rows.get(name))).toEqual([
    2,
    1,
    undefined,
    0,
    1,
  ])
})

it('reads the schema again when it changes meanwhile, and lets a change go first that waits', async () => {
  await using source = await migrationDatabase()
  await using other = await anotherSession(source.url)
  await source.owner.query(`
    create function public.gone() returns int language sql as 'select 1'; create view public.v as select 1 as a;
    create table public.t as select 1 as a`)
  using folder = testFolder()
  const { location } = await backupBeside(source.url, folder.path, () =>
    other.query(`
      drop function public.gone(); alter view public.v rename to w;
      create temporary table mine (a int default 1 check (a > 0))`),
  )
  await verifyBackup(source.url, await openBackup(location), { env: {}, log: () => {} })
  const { manifest } = await backupBeside(source.url, folder.path, () =>
    other.query('alter table public.t add column b int'),
  )
  expect(manifest.tables.find(({ name }) => name === 't')?.columns).toEqual(['a', 'b'])
})

it('ends at once when it is stopped, and its row says so', async () => {
  await using source = await migrationDatabase()
  await using other = await anotherSession(source.url)
  await source.owner.query('create table public.held (a int)')
  await other.query('begin; lock table public.held')
  using folder = testFolder()
  const stopping = new AbortController()
  const settings = { folder: folder.path, env: {}, log: () => {}, stopped: stopping.signal }
  const making = expect(makeBackup(source.url, settings)).rejects.toThrow('stopped by a test')
  const WAITS = "select from pg_locks where not granted and relation = 'public.held'::regclass"
  await expect.poll(() => askAt(source.url, WAITS)).toHaveLength(1)
  stopping.abort(new Error('stopped by a test'))
  await making
  expect(await askAt(source.url, WAITS)).toHaveLength(1)
  const [row] = await askAt(source.url, 'select status, error from quoin.backups')
  expect(row).toEqual({ status: 'failed', error: 'stopped by a test' })
})

it('says what pg_dump says, and nothing of what is around it', async () => {
  const failed = runBundledDump(inject('stack').database_url, ['--section=pre-data', '--snapshot=nope'])
  await expect(failed).rejects.toThrow(/^pg_dump failed: error: query failed: .*invalid snapshot/)
})
