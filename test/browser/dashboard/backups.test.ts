// Backups and branches: what there is, what was proved, and what to run for more.

import { expect, inject, it } from 'vitest'
import { makeBackup } from '../../../cli/backup/write-backup.ts'
import { testFolder } from '../../contract/backups/support.ts'
import { connectOwner } from '../../support/postgres.ts'
import { contrastProblems } from './axe.ts'
import { visit } from './visitor.ts'

it('shows a backup as unproved until it was restored, and a failed one with its reason', async () => {
  using folder = testFolder()
  await using owner = await connectOwner()
  const { manifest, location } = await makeBackup(inject('stack').database_url, {
    folder: folder.path,
    env: {},
    log: () => {},
  })
  try {
    await using seat = await visit('/database/backups')
    const { page } = seat
    const row = page.getByRole('row').filter({ hasText: location.slice(-20) })
    await row.getByText('Never restored').waitFor()
    await page.getByRole('button', { name: 'Copy npm run backup:verify' }).waitFor()
    await page.getByRole('button', { name: 'Copy npm run branch -- NAME' }).waitFor()
    await owner.query('update quoin.backups set verified_at = now() where id = $1', [manifest.id])
    await page.reload()
    await row.getByText(/^Proved/).waitFor()

    await owner.query(
      `insert into quoin.backups (id, location, status, started_at, finished_at, error)
       values (gen_random_uuid(), '/srv/failed', 'failed', now() + interval '1 minute', now(), 'no space left')`,
    )
    await page.reload()
    await page.getByText('The last backup failed').waitFor()
    await page.getByText('it failed: the command has said why').waitFor()
    expect(await contrastProblems(page)).toEqual([])
  } finally {
    await owner.query("delete from quoin.backups where id = $1 or location = '/srv/failed'", [manifest.id])
  }
})

it('offers the first backup where there is none, and says what Neon keeps', async () => {
  await using seat = await visit('/')
  const { page } = seat
  const backups = { data: [] as object[], next_cursor: null, provider: 'postgres' }
  await page.route('**/api/backups', route => route.fulfill({ json: backups }))
  await page.route('**/api/branches', route => route.fulfill({ json: { ...backups } }))
  await page.getByRole('link', { name: 'Backups' }).first().click()
  await page.getByText('No backup yet').waitFor()
  await page.getByRole('button', { name: 'Copy npm run backup' }).waitFor()
  await page.getByText('No branch yet').waitFor()
  backups.provider = 'neon'
  await page.reload()
  await page.getByText('No snapshot yet').waitFor()
  expect(await page.getByText('npm run').count()).toBe(0)
})
