// Guards: what is served by public and signed addresses is seconds old at most, and asking for it stays cheap.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { PublicRows, readPublicRow } from '../../../src/features/storage/public/public-row.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'

const BUCKET = `public-row-${randomUUID()}`
const { database_url: connectionString, sql_gateway_url: gatewayUrl } = inject('stack')
const wire = new SqlWire({ connectionString, gatewayUrl: gatewayUrl ?? undefined })

let owner: TestClient
let projectId: string
let nowMs = Date.now()
let trips = 0
const now = () => new Date(nowMs)
const platform = new PlatformDatabase(wire).observed(() => {
  trips += 1
})
let deps = { platform, publicRows: new PublicRows(now), now }

beforeAll(async () => {
  owner = await connectOwner()
  await owner.query('insert into storage.buckets (id, name, public) values ($1, $1, true)', [BUCKET])
  const { rows } = await owner.query("insert into quoin.projects (name) values ('public row') returning id")
  projectId = rows[0].id
})
beforeEach(() => {
  trips = 0
  deps = { platform, publicRows: new PublicRows(now), now }
})
afterAll(async () => {
  await owner.query('delete from storage.objects where bucket_id = $1', [BUCKET])
  await owner.query('delete from storage.buckets where id = $1', [BUCKET])
  await owner.query('delete from quoin.projects where id = $1', [projectId])
  await owner.end()
})

async function makeObject(userMetadata: object = { taken_by: 'Ada' }) {
  const place = { bucketId: BUCKET, name: `größe/${randomUUID()} "a".png` }
  await owner.query(
    'insert into storage.objects (bucket_id, name, version, user_metadata) values ($1, $2, $3, $4)',
    [place.bucketId, place.name, randomUUID(), JSON.stringify(userMetadata)],
  )
  const change = (sql: string) =>
    owner.query(`${sql} where bucket_id = $1 and name = $2`, [BUCKET, place.name])
  const read = (project: string | null = null) => readPublicRow(deps, place, project)
  return { place, change, read }
}

it('answers row, bucket and project in one trip', async () => {
  const { place, read } = await makeObject()
  expect(await read(projectId)).toMatchObject({
    isPublic: true,
    isPaused: false,
    row: { bucket_id: BUCKET, name: place.name, user_metadata: { taken_by: 'Ada' } },
  })
  expect(trips).toBe(1)
})

it('a deleted object is gone after five seconds', async () => {
  const { change, read } = await makeObject()
  expect((await read()).row).not.toBeNull()
  await change('delete from storage.objects')
  nowMs += 5_000
  expect((await read()).row).toBeNull()
})

it('asks the database once in five seconds, and at once again after a change that was made here', async () => {
  const { change, read } = await makeObject()
  const before = await read()
  nowMs += 4_999
  expect(await read()).toEqual(before)
  expect(trips).toBe(1)
  await change("update storage.objects set version = 'next'")
  deps.publicRows.forget()
  expect((await read()).row?.version).toBe('next')
})

it('those who come at once ask once, and have the same answer', async () => {
  const { read } = await makeObject()
  const answers = await Promise.all(Array.from({ length: 20 }, () => read()))
  expect(new Set(answers.map(({ row }) => row?.version)).size).toBe(1)
  expect(trips).toBe(1)
})

it('a request that was lost while it asked keeps nobody waiting for long', async () => {
  const { read, place } = await makeObject()
  const lost = { forReading: () => ({ texts: () => new Promise<never>(() => {}) }) }
  void readPublicRow({ ...deps, platform: lost as unknown as typeof platform }, place, null)
  const waiting = read()
  nowMs += 2_000
  expect((await waiting).row).not.toBeNull()
})

it('what is not there is kept for a second, a row of many bytes not at all', async () => {
  const place = { bucketId: BUCKET, name: randomUUID() }
  const none = { row: null, isPublic: true, isPaused: false }
  expect(await readPublicRow(deps, place, null)).toEqual(none)
  nowMs += 999
  await readPublicRow(deps, place, null)
  expect(trips).toBe(1)
  nowMs += 1
  await readPublicRow(deps, place, null)
  expect(trips).toBe(2)
  const { read } = await makeObject({ long: 'a'.repeat(5_000) })
  expect(await read()).toEqual(await read())
  expect(trips).toBe(4)
})

it('names that cannot be stored and buckets that are not there are nobody’s', async () => {
  const nothing = { row: null, isPublic: false, isPaused: false }
  for (const name of ['a\0b', '\ud800'])
    expect(await readPublicRow(deps, { bucketId: BUCKET, name }, null)).toEqual(nothing)
  expect(trips).toBe(0)
  expect(await readPublicRow(deps, { bucketId: `${BUCKET}x`, name: 'a' }, null)).toEqual(nothing)
})

it('says so when the project of an address is paused, or gone', async () => {
  const { read } = await makeObject()
  expect((await read(projectId)).isPaused).toBe(false)
  await owner.query("update quoin.projects set status = 'paused' where id = $1", [projectId])
  nowMs += 5_000
  expect((await read(projectId)).isPaused).toBe(true)
  expect((await read()).isPaused).toBe(false)
  expect((await read(randomUUID())).isPaused).toBe(true)
})
