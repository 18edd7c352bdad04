// The sweep of files as the cron of every hour runs it: the real bundle on the store that its binding names.

import { expect, it } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker } from '../support/worker.ts'

const BUCKET = `swept-${crypto.randomUUID()}`

it('deletes what was lost before the retention, each hour, and nothing else', async () => {
  await using owner = await connectOwner()
  await using quoin = await startTestWorker()
  const completedAt = async () =>
    (await owner.query('select completed_at from quoin.storage_sweeps')).rows[0]?.completed_at?.getTime() ?? 0
  const noted = async () =>
    (await owner.query('select version from quoin.lost_versions where bucket_id = $1', [BUCKET])).rows
  const { key } = await makeKey('service_role')
  await owner.query('insert into storage.buckets (id, name) values ($1, $1)', [BUCKET])
  for (const name of ['kept', 'lost', 'waiting']) {
    const path = `/v1/storage/objects/${BUCKET}/${name}`
    const headers = { apikey: key, 'content-type': 'text/plain' }
    expect((await quoin.fetch(path, { method: 'POST', headers, body: name })).status).toBe(201)
  }
  const lose = async (name: string, age: string) => {
    const sql = 'delete from storage.objects where bucket_id = $1 and name = $2 returning version'
    const { version } = (await owner.query(sql, [BUCKET, name])).rows[0]
    await owner.query('update quoin.lost_versions set lost_at = now() - $2::interval where version = $1', [
      version,
      age,
    ])
    return `${BUCKET}/${version}`
  }
  const lost = await lose('lost', '7 days')
  await lose('waiting', '6 days 23 hours')
  const before = await quoin.worker.blobKeys(BUCKET)
  const completedBefore = await completedAt()

  await quoin.worker.scheduled({ cron: '* * * * *' })
  expect(await quoin.worker.blobKeys(BUCKET)).toEqual(before)
  await quoin.worker.scheduled({ cron: '17 * * * *' })
  expect(await quoin.worker.blobKeys(BUCKET)).toEqual(before.filter(key => key !== lost))
  expect(await noted()).toHaveLength(1)
  expect(await completedAt()).toBeGreaterThan(completedBefore)

  for (const table of ['storage.objects', 'quoin.lost_versions'])
    await owner.query(`delete from ${table} where bucket_id = $1`, [BUCKET])
  await owner.query('delete from storage.buckets where id = $1', [BUCKET])
})
