// Who reaches which file: two people, nobody, and a program with a service_role key get the same answers under /v1,
// under Supabase's paths and by signed addresses. And what no SQL can do, whatever the policies.

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { newBrowser, registerClient, tokensFor } from '../../support/applications.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { type Credential, FACES, type Face, type Outcome, send, sendFile } from './faces.ts'

const PRIVATE = `policies-${randomUUID()}`
const PUBLIC = `${PRIVATE}-public`
const TEXT = { body: 'short text', type: 'text/plain' }
const LONG = { body: 'x'.repeat(21), type: 'text/plain' }
const IMAGE = { body: 'short', type: 'image/png' }

/** Their own folder; what is in it is theirs. */
const POLICIES = `
  create policy "${PRIVATE} read" on storage.objects for select to anon
    using (bucket_id = '${PRIVATE}' and owner_id = quoin.uid());
  create policy "${PRIVATE} add" on storage.objects for insert to anon
    with check (bucket_id like '${PRIVATE}%' and (storage.foldername(name))[1] = quoin.uid()
      and (metadata ->> 'mimetype' like 'text/%' or storage.operation() = 'storage.object.sign_upload_url')
      and coalesce((metadata ->> 'size')::bigint, 0) <= 20);
  create policy "${PRIVATE} change" on storage.objects for update to anon
    using (bucket_id = '${PRIVATE}' and owner_id = quoin.uid())
    with check ((storage.foldername(name))[1] = quoin.uid());
  create policy "${PRIVATE} remove" on storage.objects for delete to anon
    using (bucket_id = '${PRIVATE}' and owner_id = quoin.uid() and storage.operation() = 'storage.object.delete')`

let owner: TestClient
let ada: string
const callers: Record<'ada' | 'bob' | 'nobody' | 'service', Credential> = {
  ada: {},
  bob: {},
  nobody: {},
  service: {},
}

beforeAll(async () => {
  owner = await connectOwner()
  for (const id of [PRIVATE, PUBLIC])
    await owner.query('insert into storage.buckets (id, name, public) values ($1, $1, $2)', [
      id,
      id === PUBLIC,
    ])
  await owner.query(POLICIES)
  const client = await registerClient()
  const roomy = { rateLimitPerMinute: 10_000 }
  const [anon, service] = await Promise.all([makeKey('anon', roomy), makeKey('service_role', roomy)])
  callers.nobody = { apikey: anon.key }
  callers.service = { apikey: service.key }
  for (const name of ['ada', 'bob'] as const) {
    const browser = await newBrowser()
    const { access_token: token } = await tokensFor({ client, browser, scope: 'openid' })
    callers[name] = { apikey: anon.key, authorization: `Bearer ${token}` }
    if (name === 'ada') ada = browser.person.id
  }
})
afterAll(async () => {
  for (const name of ['read', 'add', 'change', 'remove'])
    await owner.query(`drop policy "${PRIVATE} ${name}" on storage.objects`)
  for (const table of ['objects where bucket_id', 'buckets where id'])
    await owner.query(`delete from storage.${table} = any ($1)`, [[PRIVATE, PUBLIC]])
  await owner.end()
})

/** A file of Ada's. */
async function makeFile(bucket: string): Promise<string> {
  const name = `${ada}/${randomUUID()}.txt`
  const made = await sendFile('POST', `/v1/storage/objects/${bucket}/${name}`, callers.ada, TEXT)
  expect(made.status, await made.text()).toBe(201)
  return name
}

/** One file for all who leave it as it is. */
const shared: Record<string, Promise<string>> = {}
function fileFor(what: string, bucket: string): Promise<string> {
  if (/^(?:replace|move|delete)/.test(what)) return makeFile(bucket)
  shared[bucket] ??= makeFile(bucket)
  return shared[bucket]
}

type Who = keyof typeof callers
type Ask = (face: Face, who: Credential, bucket: string, file: string) => Promise<Outcome>
type Answers = Record<Who, Outcome>

const OWN: Answers = { ada: 'done', bob: 404, nobody: 404, service: 'done' }
const WRITE: Answers = { ada: 'done', bob: 403, nobody: 403, service: 'done' }
const NEVER: Answers = { ada: 403, bob: 403, nobody: 403, service: 'done' }
const ALL: Answers = { ada: 'done', bob: 'done', nobody: 'done', service: 'done' }
const HIDDEN: Answers = { ada: 404, bob: 404, nobody: 404, service: 'done' }

const READS: Record<string, Ask> = {
  download: (face, who, bucket, file) => face.download(who, bucket, file),
  info: (face, who, bucket, file) => face.info(who, bucket, file),
}
const readsOf = (answers: Answers, bucket: string) =>
  Object.entries(READS).map(([what, ask]) => [`${what} a file`, bucket, ask, answers] as const)
const another = () => `${ada}/${randomUUID()}`

const CASES: readonly (readonly [what: string, bucket: string, ask: Ask, answers: Answers])[] = [
  ...readsOf(OWN, PRIVATE),
  ...readsOf(ALL, PUBLIC),
  ['sign a download of', PRIVATE, (face, who, bucket, file) => face.signDownload(who, bucket, file), OWN],
  // The address would outlive the bucket's being public.
  ['sign a download of', PUBLIC, (face, who, bucket, file) => face.signDownload(who, bucket, file), HIDDEN],
  ['list', PRIVATE, (face, who, bucket, file) => face.list(who, bucket, file), OWN],
  ['list', PUBLIC, (face, who, bucket, file) => face.list(who, bucket, file), HIDDEN],
  ['upload', PRIVATE, (face, who, bucket) => face.upload(who, bucket, another(), TEXT), WRITE],
  ['upload', PUBLIC, (face, who, bucket) => face.upload(who, bucket, another(), TEXT), WRITE],
  ['upload too much', PRIVATE, (face, who, bucket) => face.upload(who, bucket, another(), LONG), NEVER],
  ['upload another type', PRIVATE, (face, who, bucket) => face.upload(who, bucket, another(), IMAGE), NEVER],
  ['replace', PRIVATE, (face, who, bucket, file) => face.replace(who, bucket, file, TEXT), WRITE],
  ['replace', PUBLIC, (face, who, bucket, file) => face.replace(who, bucket, file, TEXT), NEVER],
  ['copy', PRIVATE, (face, who, bucket, file) => face.copy(who, bucket, file, another()), OWN],
  ['copy', PUBLIC, (face, who, bucket, file) => face.copy(who, bucket, file, another()), HIDDEN],
  ['move', PRIVATE, (face, who, bucket, file) => face.move(who, bucket, file, another()), OWN],
  ['move', PUBLIC, (face, who, bucket, file) => face.move(who, bucket, file, another()), HIDDEN],
  ['delete', PRIVATE, (face, who, bucket, file) => face.remove(who, bucket, file), OWN],
  ['sign an upload', PRIVATE, (face, who, bucket) => face.signUpload(who, bucket, another(), TEXT), WRITE],
]

describe.each(FACES)('under %s', (_, face) => {
  it.each(
    CASES.map(
      ([what, bucket, ...rest]) => [what, bucket === PUBLIC ? 'public' : 'private', bucket, ...rest] as const,
    ),
  )('%s in a %s bucket', async (what, _kind, bucket, ask, answers) => {
    const found: Partial<Answers> = {}
    const asked = (Object.entries(callers) as [Who, Credential][]).map(async ([who, credential]) => {
      found[who] = await ask(face, credential, bucket, await fileFor(what, bucket))
    })
    await Promise.all(asked)
    expect(found).toEqual(answers)
  })
})

it('a policy of one operation does not let another delete', async () => {
  const name = await makeFile(PRIVATE)
  const answer = await send('DELETE', `/v1/storage/objects/${PRIVATE}`, callers.ada, { names: [name] })
  expect(await answer.json()).toEqual({ data: [] })
  expect(await FACES[0][1].download(callers.ada, PRIVATE, name)).toBe('done')
})

it('whom no policy lets write is told which one is missing', async () => {
  const hintOf = async (answer: Promise<Response>) => (await (await answer).json()).hint
  const made = send('POST', '/v1/storage/buckets', callers.nobody, { name: PRIVATE })
  expect(await hintOf(made)).toContain('ON storage.buckets FOR INSERT TO anon')
  const sent = sendFile('POST', `/v1/storage/objects/${PRIVATE}/x`, callers.nobody, TEXT)
  expect(await hintOf(sent)).toContain('ON storage.objects FOR INSERT TO anon')
})

describe.each(['anon', 'service_role'])('SQL as %s', role => {
  let sql: Client
  beforeAll(async () => {
    sql = new Client({ connectionString: inject('stack').data_database_url })
    await sql.connect()
    // For these buckets alone: other files test at the same time what anon may not.
    const ofThese = `bucket_id in ('${PRIVATE}', '${PUBLIC}')`
    await owner.query(
      `create policy "${PRIVATE} all" on storage.objects to anon using (${ofThese}) with check (${ofThese})`,
    )
    await sql.query(`set role ${role}`)
    return async () => {
      await sql.end()
      await owner.query(`drop policy "${PRIVATE} all" on storage.objects`)
    }
  })

  it.each([
    ['a version', `insert into storage.objects (bucket_id, name, version) values ('${PRIVATE}', 'x', 'y')`],
    ['metadata', `insert into storage.objects (bucket_id, name, metadata) values ('${PRIVATE}', 'x', '{}')`],
    ['another version', "update storage.objects set version = 'y'"],
    ['other metadata', `update storage.objects set metadata = '{"mimetype":"text/html"}'`],
    ['another bucket', `update storage.objects set bucket_id = '${PUBLIC}' where bucket_id = '${PRIVATE}'`],
    ['a record of writes', 'insert into quoin.storage_claims select * from quoin.storage_claims'],
    ['nothing at all', 'truncate storage.objects'],
  ])('gives no row %s', async (_, statement) => {
    await makeFile(PRIVATE)
    await expect(sql.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  it('a row that it makes has no file, whatever it claims', async () => {
    const foreign = await makeFile(PRIVATE)
    const { rows } = await owner.query('select version from storage.objects where name = $1', [foreign])
    const name = `${ada}/${rows[0].version}`
    await sql.query("select set_config('storage.claim', $1, false)", [randomUUID()])
    await sql.query('insert into storage.objects (bucket_id, name) values ($1, $2)', [PUBLIC, name])
    for (const [, face] of FACES) expect(await face.download(callers.service, PUBLIC, name)).toBe(404)
  })
})
