// Files of a backup are looked for in the running service, by version, ETag and size.

import { randomBytes } from 'node:crypto'
import { afterAll, expect, inject, it, vi } from 'vitest'
import { checkFiles } from '../../../cli/backup/check-files.ts'
import { openBackup } from '../../../cli/backup/read-backup.ts'
import { verifyBackup } from '../../../cli/backup/verify-backup.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { connectOwner } from '../../support/postgres.ts'
import { backupOf, testFolder } from './support.ts'

const { base_url: baseUrl, service_role_key: serviceRoleKey, anon_key } = inject('stack')
const service = { baseUrl, serviceRoleKey }
const bucket = `verified-${randomBytes(4).toString('hex')}`

async function call(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const headers = { apikey: serviceRoleKey, 'content-type': 'application/json', ...init.headers }
  return await fetch(`${baseUrl}/v1/storage/${path}`, { method: 'POST', ...init, headers })
}

const check = (blobs: unknown[], headers: Record<string, string> = {}) =>
  call('blobs/check', { body: JSON.stringify({ blobs }), headers })

afterAll(async () => {
  await call(`buckets/${bucket}/empty`)
  await call(`buckets/${bucket}`, { method: 'DELETE' })
})

/** A file of the stack's, by its row. */
async function storeFile(name: string, body: string) {
  const stored = await call(`objects/${bucket}/${name}`, { body, headers: { 'content-type': 'text/plain' } })
  expect([stored.status, await stored.text()]).toEqual([201, expect.any(String)])
  await using owner = await connectOwner()
  const { rows } = await owner.query<{ version: string; metadata: { eTag: string; size: number } }>(
    'select version, metadata from storage.objects where bucket_id = $1 and name = $2',
    [bucket, name],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`${name} has no row`)
  return { bucket_id: bucket, version: row.version, etag: row.metadata.eTag, size: row.metadata.size }
}

it('finds the files that a backup names, and names those that are gone or others', async () => {
  expect((await call('buckets', { body: JSON.stringify({ name: bucket }) })).status).toBe(201)
  const blob = await storeFile('kept.txt', 'kept')
  await using source = await migrationDatabase()
  const addRow = (name: string, { version, etag, size }: typeof blob) =>
    source.owner.query(
      'insert into storage.objects (bucket_id, name, version, metadata) values ($1, $2, $3, $4)',
      [bucket, name, version, JSON.stringify({ eTag: etag, size })],
    )
  await source.owner.query('insert into storage.buckets (id, name) values ($1, $1)', [bucket])
  await addRow('kept.txt', blob)
  using folder = testFolder()
  const backup = await openBackup((await backupOf(source.url, folder.path)).location)
  const log = vi.fn()
  const verify = (serviceRoleKey: string) =>
    verifyBackup(source.url, backup, { env: {}, log, service: { baseUrl, serviceRoleKey } })
  // A wrong key is known before anything is restored.
  await expect(verify('none')).rejects.toThrow(/could not be asked for files: 401/)
  expect(log).not.toHaveBeenCalled()
  expect(await verify(serviceRoleKey)).toEqual({ files: 1, checked: 1 })

  await addRow('gone.txt', { ...blob, version: 'gone' })
  await addRow('other.txt', { ...blob, size: 5 })
  await addRow('copy of gone.txt', { ...blob, version: 'gone' })
  const checked = checkFiles(source.owner, source.url, service)
  await expect(checked).rejects.toThrow(/3 of 4 files/)
  for (const name of ['gone.txt', 'copy of gone.txt'])
    await expect(checked).rejects.toThrow(`\n  ${bucket}/${name} (version gone) is missing`)
  await expect(checked).rejects.toThrow(
    `${bucket}/other.txt (version ${blob.version}) has 4 bytes, ETag ${blob.etag} in place of 5 bytes`,
  )
  expect(await checkFiles(source.owner, source.url, undefined)).toEqual({ files: 4, checked: null })

  // Among many it looks for those first that the database of today has lost.
  await source.owner.query(
    `insert into storage.objects (bucket_id, name, version, metadata)
     select bucket_id, 'many/' || i, version, metadata from storage.objects, generate_series(1, 1000) i
     where name = 'kept.txt'`,
  )
  await using today = await migrationDatabase()
  await today.owner.query('insert into storage.buckets (id, name) values ($1, $1)', [bucket])
  await today.owner.query(
    `insert into storage.objects (bucket_id, name, version) values ($1, 'other name.txt', $2)`,
    [bucket, blob.version],
  )
  const among = checkFiles(source.owner, today.url, service)
  for (const name of ['gone.txt', 'copy of gone.txt'])
    await expect(among).rejects.toThrow(`\n  ${bucket}/${name} (version gone) is missing`)
})

it('is for service_role keys, and for a hundred at once', async () => {
  const blob = { bucket_id: 'a', version: 'b', etag: '"c"', size: 1 }
  const outcomeOf = async (answer: Response) => [answer.status, (await answer.json()).code]
  expect(await outcomeOf(await check([blob], { apikey: anon_key }))).toEqual([403, 'insufficient_role'])
  expect(await outcomeOf(await check(Array(101).fill(blob)))).toEqual([400, 'validation_failed'])
  const answer = await check(Array(100).fill(blob))
  expect(await answer.json()).toMatchObject({ checked: 100, missing: { length: 100 }, different: [] })
})
