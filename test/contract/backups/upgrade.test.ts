// Every database of a former version that is kept here can be upgraded, and keeps what was in it.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openBackup } from '../../../cli/backup/read-backup.ts'
import { restoreBackup } from '../../../cli/backup/restore-backup.ts'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { asCaller, command, emptyDatabase, testFolder } from './support.ts'

const FIXTURES = join(PROJECT_DIR, 'test/fixtures/upgrade')
const versions = readdirSync(FIXTURES, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

it('has a database of a former version', () => {
  expect(versions).toContain('0008')
})

it.each(versions)('upgrades a database of version %s, with a backup of it from before', async version => {
  const former = await openBackup(join(FIXTURES, version))
  await using database = await emptyDatabase()
  await restoreBackup(database.url, former, { life: 'new', otherLocale: true, env: {}, log: () => {} })
  using folder = testFolder()
  const upgrade = (...args: string[]) => command(database.url, 'upgrade.ts', '--to', folder.path, ...args)

  // Nobody is there to ask: nothing happens.
  const asked = await upgrade()
  expect(asked).toMatchObject({ code: 1, stdout: '' })
  expect(asked.stderr).toMatch(
    /migrations to apply: .*0010_create-backups[\s\S]*run it with --yes[\s\S]*nothing was changed/,
  )
  expect(readdirSync(folder.path)).toEqual([])

  const { code, stdout } = await upgrade('--yes')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^upgraded; the backup from before is .*Next: .*GET \/v1\/status/)
  const [backup] = readdirSync(folder.path)
  const { manifest } = await openBackup(join(folder.path, backup ?? ''))
  expect(manifest.platform_migrations).toEqual(former.manifest.platform_migrations)
  expect(await database.ask('select status, location from quoin.backups')).toEqual([
    { status: 'completed', location: join(folder.path, backup ?? '') },
  ])

  // What was in it is in it, and works.
  expect(await asCaller(database.name, 'anon', 'select note from public.notes')).toEqual([{ note: 'first' }])
  for (const { schema, name, row_count } of former.manifest.tables) {
    if (['leases', 'platform_migrations'].includes(name)) continue
    const [count] = await database.ask(`select count(*)::int as n from ${schema}.${name}`)
    expect([name, count]).toEqual([name, { n: row_count }])
  }
  await database.ask("insert into public.notes (note) values ('after')")
  expect(await database.ask('select count(*)::int as n from quoin.row_events')).toEqual([{ n: 2 }])
  expect(await upgrade()).toMatchObject({ code: 0, stdout: expect.stringContaining('is up to date') })
})

it('changes nothing where a migration fails, says how to go back, and goes on when it is mended', async () => {
  const former = await openBackup(join(FIXTURES, '0008'))
  await using database = await emptyDatabase()
  await restoreBackup(database.url, former, { life: 'new', otherLocale: true, env: {}, log: () => {} })
  using folder = testFolder()
  const upgrade = () => command(database.url, 'upgrade.ts', '--yes', '--to', folder.path)
  // What a migration wants to make is there already.
  await database.ask('alter table quoin.projects add column status_version integer')
  const { code, stderr } = await upgrade()
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /not all is applied.*docs\/upgrade\.md[\s\S]*0011_create-status-versions[\s\S]*already exists/,
  )
  const [backup] = readdirSync(folder.path)
  await openBackup(join(folder.path, backup ?? ''))
  expect(await database.ask("select to_regclass('quoin.backups') as made")).toEqual([{ made: null }])
  await database.ask('alter table quoin.projects drop column status_version')
  expect(await upgrade()).toMatchObject({ code: 0, stdout: expect.stringContaining('upgraded') })
})
