// /v1/backups and /v1/branches of the local stack: what the commands have made.

import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { BackupList, BranchList } from '../../../src/features/backups/schemas.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'
import { backupOf, run, testFolder } from './support.ts'

const { base_url, database_url } = inject('stack')

async function get(path: string): Promise<unknown> {
  const { key } = await makeKey('service_role')
  const response = await fetch(`${base_url}${path}`, { headers: { apikey: key } })
  expect(response.status).toBe(200)
  return response.json()
}

async function backups() {
  const list = BackupList.parse(await get('/v1/backups'))
  expect(list).toMatchObject({ next_cursor: null, provider: 'postgres' })
  return list.data
}

it('refuses filters and pages, which these lists do not have', async () => {
  const { key } = await makeKey('service_role')
  for (const path of ['/v1/backups?limit=1', '/v1/branches?cursor=x']) {
    const response = await fetch(`${base_url}${path}`, { headers: { apikey: key } })
    expect(await response.json()).toMatchObject({
      code: 'validation_failed',
      error: expect.stringMatching(/^query: knows no "/),
    })
  }
})

it('lists a backup with what is known of it, and one that was cut off as failed', async () => {
  using folder = testFolder()
  await using owner = await connectOwner()
  const id = crypto.randomUUID()
  await owner.query('insert into quoin.backups (id, location) values ($1, $2)', [id, '/srv/cut-off'])
  expect((await backups()).find(it => it.id === id)).toMatchObject({
    name: 'cut-off',
    status: 'failed',
    error: 'it was cut off',
  })
  await owner.query('begin; lock table quoin.backups in share update exclusive mode')
  expect((await backups()).find(it => it.id === id)).toMatchObject({ status: 'running', error: null })
  await owner.query('rollback')

  const { location, manifest, sizeBytes } = await backupOf(database_url, folder.path)
  expect((await backups()).find(it => it.id === manifest.id)).toMatchObject({
    name: location.split('/').at(-1),
    status: 'completed',
    started_at: expect.stringMatching(/Z$/),
    finished_at: expect.stringMatching(/Z$/),
    size_bytes: sizeBytes,
    location,
    lsn: manifest.lsn,
    verified_at: null,
    error: null,
  })
  // Whoever holds the lock next writes it down.
  expect((await backups()).find(it => it.id === id)).toMatchObject({ status: 'failed' })
  // Callers' code can raise errors as whoever ran it: what it said is not for other callers.
  await owner.query("update quoin.backups set status = 'failed', error = 'secret' where id = $1", [id])
  expect((await backups()).find(it => it.id === id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('it failed: the command has said why'),
  })
  await owner.query('delete from quoin.backups where id = any ($1)', [[id, manifest.id]])
})

it('lists the database and its branches, and nobody else’s databases', async () => {
  const parent = new URL(database_url).pathname.slice(1)
  const [branch, other] = [0, 1].map(() => `lists_${randomBytes(5).toString('hex')}`)
  const created_at = new Date().toISOString()
  const comment = { name: 'trial', parent, state: 'creating', created_at, backup_id: 'x' }
  await run(`create database ${branch}`)
  await run(`create database ${other}`)
  try {
    await run(`comment on database ${branch} is 'Quoin branch: ${JSON.stringify(comment)}'`)
    await run(`comment on database ${other} is 'Quoin branch: {"parent"'`)
    const url = new URL(database_url)
    url.pathname = `/${branch}`
    const maker = new Client({ connectionString: url.href })
    await maker.connect()
    const { data, provider } = BranchList.parse(await get('/v1/branches'))
    expect(provider).toBe('postgres')
    expect(data[0]).toMatchObject({ id: parent, is_current: true, state: 'ready' })
    expect(data.find(({ id }) => id === branch)).toEqual({
      id: branch,
      name: 'trial',
      parent_id: parent,
      state: 'creating',
      is_current: false,
      created_at,
      size_bytes: expect.any(Number),
      expires_at: null,
    })
    expect(data.map(({ id }) => id)).not.toContain(other)
    // Whoever makes it has gone.
    await maker.end()
    const stateOf = async () =>
      BranchList.parse(await get('/v1/branches')).data.find(({ id }) => id === branch)?.state
    await expect.poll(stateOf).toBe('failed')
  } finally {
    await run(`drop database ${branch}`)
    await run(`drop database ${other}`)
  }
})
