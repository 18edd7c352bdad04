// What the sweep deletes, what it finds, and what it never touches: on a database with Quoin's tables and a store in
// memory, and once on R2 as the local runtime has it.

import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startGateway } from '../../../sql-gateway/server.ts'
import { PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { makeBlobStore } from '../../../src/features/storage/blobs/blob-store.ts'
import type { Bucket } from '../../../src/features/storage/blobs/bucket.ts'
import { readSweepFigures } from '../../../src/features/storage/sweep/read-figures.ts'
import {
  type RunBounds,
  type SweepDeps,
  sweepStorage,
} from '../../../src/features/storage/sweep/sweep-storage.ts'
import { type MigrationDatabase, migrationDatabase } from '../../support/migrations.ts'
import { platformStatusOf } from '../../support/platform-status.ts'
import { MemoryBlobs } from './memory-blobs.ts'

/** Emptied before each test, in this order. */
const TABLES = [
  'storage.objects',
  'storage.buckets',
  'quoin.storage_claims',
  'quoin.lost_versions',
  'quoin.former_databases',
  'quoin.storage_sweeps',
]
const DAY_SECONDS = 86_400
const ELSEWHERE = '00000000-0000-4000-8000-000000000000'

let database: MigrationDatabase
let gateway: Awaited<ReturnType<typeof startGateway>>
let platform: PlatformDatabase
let store: MemoryBlobs
/** This database, as blobs name it. */
let epoch: string

beforeAll(async () => {
  database = await migrationDatabase()
  gateway = await startGateway({ databaseUrls: [database.url] })
  platform = new PlatformDatabase(new SqlWire({ connectionString: database.url, gatewayUrl: gateway.url }))
  epoch = (await ask<{ epoch: string }>('select epoch from quoin.database_epoch'))[0]?.epoch ?? ''
})
afterAll(async () => {
  await gateway?.close()
  await database?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  store = new MemoryBlobs()
  for (const table of TABLES) await ask(`delete from ${table}`)
  await ask('insert into quoin.storage_sweeps default values')
  await ask(`insert into storage.buckets (id, name) values ('docs', 'docs')`)
})
afterEach(() => void vi.restoreAllMocks())

async function ask<Row extends object>(sql: string, params: unknown[] = []): Promise<Row[]> {
  return (await database.owner.query<Row>(sql, params)).rows
}

function deps(parts: Partial<SweepDeps> = {}): SweepDeps {
  return {
    platform,
    blobs: store,
    config: { storageRetention: 7 * DAY_SECONDS },
    now: () => new Date(),
    ...parts,
  }
}

const sweep = (bounds: Partial<RunBounds> = {}) =>
  sweepStorage(deps(), { pages: 20, blobsPerPage: 1_000, timeMs: 20_000, ...bounds })
const figures = () => readSweepFigures({ platform })

/** A row as the engine leaves it, an hour old. */
async function addRow(name: string, version: string, bucket = 'docs'): Promise<void> {
  await ask('insert into storage.buckets (id, name) values ($1, $1) on conflict do nothing', [bucket])
  // Only the trigger writes a version, and updated_at.
  await ask('alter table storage.objects disable trigger user')
  await ask(
    `insert into storage.objects (bucket_id, name, version, updated_at)
     values ($1, $2, $3, now() - interval '1 hour')`,
    [bucket, name, version],
  )
  await ask('alter table storage.objects enable trigger user')
}

function addNote(version: string, age: string): Promise<object[]> {
  return ask(
    `insert into quoin.lost_versions (bucket_id, version, lost_at) values ('docs', $1, now() - $2::interval)`,
    [version, age],
  )
}

function addClaim(version: string, age: string, uploadId: string | null = null): Promise<object[]> {
  return ask(
    `insert into quoin.storage_claims (id, bucket_id, name, version, metadata, multipart_upload_id, created_at)
     values (gen_random_uuid(), 'docs', $1, $1, '{}', $3, now() - $2::interval)`,
    [version, age, uploadId],
  )
}

async function notes(): Promise<string[]> {
  const rows = await ask<{ version: string }>('select version from quoin.lost_versions order by version')
  return rows.map(({ version }) => version)
}

it('deletes what a row has lost once the retention is over, and never what another row still names', async () => {
  for (const version of ['copied', 'fresh', 'gone', 'named']) store.put(`docs/${version}`, epoch)
  await addRow('a', 'named')
  await addRow('a copy', 'copied')
  await addNote('copied', '8 days')
  await addNote('fresh', '6 days 23 hours')
  await addNote('gone', '8 days')
  await addNote('without a blob', '8 days')
  expect(await sweep()).toMatchObject({ deleted: 1, deleted_bytes: 10, completed: true })
  expect(store.keys()).toEqual(['docs/copied', 'docs/fresh', 'docs/named'])
  expect(await notes()).toEqual(['fresh'])
  expect(await figures()).toMatchObject({ blobs: 3, bytes: 30, waiting: { count: 1, bytes: 10 } })
})

it('TRUNCATE notes what all rows lose, like DELETE', async () => {
  await addRow('a', 'first')
  await addRow('b', 'second')
  await ask(`delete from storage.objects where name = 'a'`)
  expect(await notes()).toEqual(['first'])
  await ask('truncate storage.objects')
  expect(await notes()).toEqual(['first', 'second'])
})

it('takes a blob without any record after retention and a day, and only its own database’s', async () => {
  store.put('docs/old', epoch, { ageHours: 8 * 24 + 1 })
  store.put('docs/young', epoch, { ageHours: 8 * 24 - 1 })
  store.put('docs/another’s', ELSEWHERE)
  store.put('something', null)
  // The first pass only counts.
  expect(await sweep()).toMatchObject({ deleted: 0 })
  expect(await figures()).toMatchObject({
    blobs: 4,
    orphans: { count: 3, bytes: 30, keys: ['docs/old', 'docs/young', 'something'] },
    foreign: { count: 1, bytes: 10 },
  })
  expect(await sweep()).toMatchObject({ deleted: 1 })
  expect(store.keys()).toEqual(['docs/another’s', 'docs/young', 'something'])
})

it('leaves writes under way alone, and ends those that are a day and an hour old', async () => {
  for (const version of ['crashed', 'under way']) store.put(`docs/${version}`, epoch)
  await addClaim('under way', '24 hours 59 minutes', 'upload 1')
  await addClaim('crashed', '25 hours 1 minute', 'upload 2')
  await sweep()
  expect(await sweep()).toMatchObject({ deleted: 0 })
  expect(store.aborted).toEqual(['upload 2'])
  expect(await ask('select version from quoin.storage_claims')).toEqual([{ version: 'under way' }])
  // Its bytes go as those of any lost version do.
  expect(await notes()).toEqual(['crashed'])
  await ask(`update quoin.lost_versions set lost_at = now() - interval '8 days'`)
  expect(await sweep()).toMatchObject({ deleted: 1 })
  expect(store.keys()).toEqual(['docs/under way'])
})

it('counts expired uploads, and tries those again whose parts cannot be dropped', async () => {
  await addClaim('crashed', '2 days', 'upload')
  store.before = call => {
    if (call === 'abort') throw new Error('R2 is away')
  }
  expect(await sweep()).toMatchObject({ expired_uploads: 0 })
  store.before = () => {}
  expect(await sweep()).toMatchObject({ expired_uploads: 1 })
  expect((await figures()).expired_uploads).toBe(1)
})

it('leaves a claim to the write that is just using it up', async () => {
  store.put('docs/late', epoch)
  await addClaim('late', '2 days')
  const writer = new Client({ connectionString: database.url })
  await writer.connect()
  try {
    const [claim] = await ask<{ id: string }>('select id from quoin.storage_claims')
    await writer.query(`begin; set local storage.claim to '${claim?.id}'`)
    await writer.query(`insert into storage.objects (bucket_id, name) values ('docs', 'late')`)
    expect(await sweep()).toMatchObject({ expired_uploads: 0, completed: true })
    await writer.query('commit')
  } finally {
    await writer.end()
  }
  expect(await ask('select version from storage.objects')).toEqual([{ version: 'late' }])
  expect(await notes()).toEqual([])
})

it('names rows without a blob, but none that is newer than the page', async () => {
  store.put('docs/here', epoch)
  await addRow('here', 'here')
  await addRow('lost', 'lost')
  await addRow('one more', 'zzz')
  store.before = async call => {
    if (call !== 'list') return
    // A write that ends behind the list and before the question.
    store.before = () => {}
    await addRow('new', 'new')
    await ask(`alter table storage.objects disable trigger user`)
    await ask(`update storage.objects set updated_at = now() where name = 'new'`)
    await ask(`alter table storage.objects enable trigger user`)
  }
  await sweep()
  expect((await figures()).missing).toEqual({ count: 2, names: ['docs/lost', 'docs/one more'] })
  const { status, problems } = await platformStatusOf(platform)
  expect([status, problems]).toEqual(['degraded', [expect.stringMatching(/^2 rows .* such as docs\/lost\./)]])
})

it('goes on where it stopped, in the order of the store, and begins again at the end', async () => {
  // In UTF-16, which JavaScript compares by, the emoji would come before the last; in most locales all are mixed up.
  const buckets = ['a', 'a-b', 'A', 'é', 'z', '😀', '\u{ffee}']
  for (const bucket of buckets)
    for (const version of ['1', '2']) {
      store.put(`${bucket}/${version}`, epoch)
      await addRow(version, version, bucket)
    }
  store.put('a-b/0', epoch)
  await addRow('missing', '3', 'é')
  const runs = []
  do runs.push(await sweep({ pages: 2, blobsPerPage: 2 }))
  while (runs.at(-1)?.completed === false && runs.length < 20)
  expect(runs).toHaveLength(4)
  const found = { blobs: 15, orphans: { count: 1 }, missing: { count: 1, names: ['é/missing'] } }
  expect(await figures()).toMatchObject(found)
  expect(await sweep()).toMatchObject({ completed: true, deleted: 1 })
  expect(store.keys()).toHaveLength(14)
})

it('stops and says so instead of deleting more than a tenth, until an operator says go', async () => {
  await ask(`insert into storage.buckets (id, name) values ('many', 'many')`)
  for (let i = 0; i < 150; i++) store.put(`many/${1_000 + i}`, epoch)
  store.put('docs/lost', epoch)
  await addNote('lost', '6 days')
  expect(await sweep()).toMatchObject({ deleted: 0, halted: expect.stringMatching(/^150 of 151 blobs/) })
  await ask(`update quoin.lost_versions set lost_at = now() - interval '8 days'`)
  await addClaim('old', '2 days', 'upload')
  expect(await sweep()).toMatchObject({ deleted: 0, expired_uploads: 0, completed: true })
  expect(store.keys()).toHaveLength(151)
  expect(await figures()).toMatchObject({ blobs: 151, halted: { at: expect.any(String) } })
  const { problems } = await platformStatusOf(platform)
  expect(problems).toEqual([
    expect.stringMatching(/^The sweep of files deletes nothing since .* 150 of 151 /),
  ])
  await ask('select quoin.resume_storage_sweep(150)')
  expect(await sweep()).toMatchObject({ deleted: 151, halted: null })
  expect(await figures()).toMatchObject({ blobs: 0, halted: null })
})

it('stops in the middle of a pass where more has lost its record than the pass before has found', async () => {
  for (let i = 0; i < 150; i++) {
    store.put(`docs/${1_000 + i}`, epoch)
    await addRow(`${i}`, `${1_000 + i}`)
  }
  await sweep()
  await ask(`alter table storage.objects disable trigger user`)
  await ask('delete from storage.objects')
  await ask(`alter table storage.objects enable trigger user`)
  expect(await sweep()).toMatchObject({ deleted: 0, halted: expect.stringContaining('no record') })
  expect(store.keys()).toHaveLength(150)
})

it('does a page again that R2 or the database has broken off, and counts it once', async () => {
  for (const version of ['1', '2', '3', '4']) store.put(`docs/${version}`, epoch)
  await addNote('2', '8 days')
  await addNote('4', '8 days')
  let deletions = 0
  store.before = call => {
    if (call === 'delete' && ++deletions === 2) throw new Error('R2 is away')
  }
  expect(await sweep({ blobsPerPage: 2 })).toMatchObject({ pages: 1, deleted: 1, completed: false })
  store.before = () => {}
  const broken = { query: platform.query, transaction: () => Promise.reject(new Error('cut off')) }
  await sweepStorage(deps({ platform: Object.assign(Object.create(platform), bound(broken)) }))
  expect(store.keys()).toEqual(['docs/1', 'docs/3'])
  expect(await notes()).toEqual(['4'])
  expect(await sweep()).toMatchObject({ completed: true })
  expect(await notes()).toEqual([])
  expect(await figures()).toMatchObject({ blobs: 2, bytes: 20 })
})

/** Methods with private fields work on the database alone. */
function bound<Methods extends { query: PlatformDatabase['query'] }>(methods: Methods): Methods {
  return { ...methods, query: methods.query.bind(platform), texts: platform.texts.bind(platform) }
}

it('lets one run go on at a time, and another take over from one that died', async () => {
  store.put('docs/1', epoch)
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  let lists = 0
  store.before = () => {
    lists++
    return isOver
  }
  const first = sweep()
  await expect.poll(() => lists).toBe(1)
  expect([await sweep(), lists]).toMatchObject([{ pages: 0 }, 1])
  await ask(`update quoin.storage_sweeps set running_until = now() - interval '1 second'`)
  store.before = () => {}
  expect(await sweep()).toMatchObject({ pages: 1 })
  end()
  // It has lost the row, and must not write its figures over those of the other.
  expect(await first).toMatchObject({ pages: 0 })
  expect(await isRunning()).toBe(false)
})

async function isRunning(): Promise<boolean> {
  const [row] = await ask<{ it: boolean }>('select running_until > now() as it from quoin.storage_sweeps')
  return row?.it === true
}

it('spares what is copied while the sweep looks, and keeps the note of what is lost again meanwhile', async () => {
  for (const version of ['copied', 'renamed']) store.put(`docs/${version}`, epoch)
  await addNote('copied', '8 days')
  await addNote('renamed', '8 days')
  await addRow('renamed', 'renamed')
  store.before = async call => {
    if (call === 'list') await addClaim('copied', '1 second')
  }
  const original = platform.transaction.bind(platform)
  const transaction: typeof original = async statements => {
    // Its last row goes between the question and the end of the page: the retention begins then.
    await ask(`delete from storage.objects where name = 'renamed'`)
    return await original(statements)
  }
  await sweepStorage(deps({ platform: bound({ query: platform.query, texts: platform.texts, transaction }) }))
  expect(store.keys()).toEqual(['docs/copied', 'docs/renamed'])
  expect(await notes()).toEqual(['copied', 'renamed'])
})

it('leaves to another database what that one has written, until it has been gone for the retention', async () => {
  store.put('docs/its own', epoch)
  store.put('docs/lost here', ELSEWHERE)
  store.put('docs/without a record', ELSEWHERE)
  await addNote('its own', '8 days')
  await addNote('lost here', '8 days')
  await ask('insert into quoin.former_databases (epoch) values ($1)', [ELSEWHERE])
  const goneSince = (age: string) =>
    ask('update quoin.former_databases set gone_at = now() - $1::interval', [age])
  expect(await sweep()).toMatchObject({ deleted: 1 })
  await goneSince('6 days')
  expect(await sweep()).toMatchObject({ deleted: 0 })
  expect(await figures()).toMatchObject({ foreign: { count: 2 }, orphans: { count: 0 } })
  await goneSince('8 days')
  expect(await sweep()).toMatchObject({ deleted: 2 })
})

it('finds no store behind a wrong address without taking all rows into memory', async () => {
  await ask('alter table storage.objects disable trigger user')
  await ask(`insert into storage.objects (bucket_id, name, version, updated_at)
    select 'docs', 'n' || i, lpad(i::text, 6, '0'), now() - interval '1 hour' from generate_series(1, 12001) i`)
  await ask('alter table storage.objects enable trigger user')
  expect(await sweep()).toMatchObject({ pages: 3, completed: true })
  const { missing } = await figures()
  expect([missing.count, missing.names.length, missing.names[0]]).toEqual([12_001, 10, 'docs/n1'])
})

it('walks R2 in the order of the rows', async () => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      workers: [{ name: 'store', script: 'export default {}', modules: true, r2Buckets: ['STORAGE'] }],
    }),
  )
  try {
    const bucket = (await miniflare.getR2Bucket('STORAGE')) as unknown as Bucket
    const blobs = makeBlobStore(bucket)
    for (const name of ['a', 'a-b', 'A', 'é', '😀', '\u{ffee}']) {
      await blobs.put(`${name}/1`, new Uint8Array(3), { length: 3, database: epoch })
      await addRow('1', '1', name)
    }
    await blobs.put('docs/lost', new Uint8Array(5), { length: 5, database: epoch })
    await addNote('lost', '8 days')
    const run = await sweepStorage(deps({ blobs }), { pages: 20, blobsPerPage: 2, timeMs: 20_000 })
    expect(run).toMatchObject({ completed: true, deleted: 1, deleted_bytes: 5 })
    expect(await figures()).toMatchObject({ blobs: 6, bytes: 18, missing: { count: 0 } })
    expect(await blobs.head('docs/lost')).toBeNull()
  } finally {
    await miniflare.dispose()
  }
})
