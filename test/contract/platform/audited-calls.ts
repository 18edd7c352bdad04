// How each route that leaves a row in the audit log is called for real, by its id: on records of its own, which the
// entry makes first. A new route gets a line here; audited-changes.test.ts beside it tells which has none.

import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { startGateway } from '../../../sql-gateway/server.ts'
import { signInAsBrowser } from '../../../stand-ins/identity-server/seeds.ts'
import { dashboard, makePerson, newBrowser, registerClient, tokensFor } from '../../support/applications.ts'
import { type WorkerOfProject, workerWithMigrations } from '../../support/built-worker.ts'
import { holdClaimsConfig } from '../../support/claims-config.ts'
import { makeKey } from '../../support/keys.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { startTestWorker } from '../../support/worker.ts'
import { machineToken, makeClient } from '../oauth/caller.ts'
import { importTuples, unique } from '../permissions/caller.ts'
import { logOf, makeTable, makeWebhook, webhooks } from '../webhooks/caller.ts'

const stack = inject('stack')

export interface AuditedCall {
  /** For the names in the path. */
  params?: Readonly<Record<string, string>>
  query?: string
  body?: unknown
  /** An API key of its own, where a key is asked for. */
  key?: string
  /** Another Worker than the stack's, and the database with its audit log. */
  at?: { url: string; owner: Pick<TestClient, 'query'> }
  /** Gives back what the call needed. */
  after?: () => PromiseLike<unknown>
}

export type AuditedCalls = Readonly<Record<string, () => Promise<AuditedCall>>>

/** A call that succeeds. */
export const CALLS: AuditedCalls = {
  'sql.run': async () => ({ body: { sql: `insert into ${await makeTable()} values (1, 'one')` } }),
  'sql.transaction': async () => {
    const table = await makeTable()
    return {
      body: { statements: [{ sql: `insert into ${table} values (1)` }, { sql: `delete from ${table}` }] },
    }
  },
  'database.try_as': async () => ({ body: { sql: 'select 1', as: { kind: 'anon' } } }),
  'db.insert': async () => ({ params: { table: await makeTable() }, body: { id: 1 } }),
  'db.update': async () => ({
    params: { table: await filledTable() },
    query: '?id=eq.1',
    body: { note: 'two' },
  }),
  'db.delete': async () => ({ params: { table: await filledTable() }, query: '?id=eq.1' }),

  'keys.create': async () => ({ body: { name: 'audited', role: 'anon' } }),
  'keys.update': async () => ({ params: { id: await newKey() }, body: { rate_limit_per_minute: 7 } }),
  'keys.rotate': async () => ({ params: { id: await newKey() }, body: { overlap_seconds: 60 } }),
  'keys.revoke': async () => ({ params: { id: await newKey() } }),

  'realtime.issue_ticket': async () => ({ body: { project_id: await newProject() } }),

  'projects.create': async () => ({ body: { name: 'audited' } }),
  'projects.update': async () => {
    const id = await newProject()
    return {
      params: { id },
      key: (await makeKey('service_role', { projectId: id })).key,
      body: { status: 'paused' },
    }
  },

  'identities.sign_out': async () => ({ params: { id: (await makePerson()).id } }),
  'identities.end_session': async () => ({ params: { id: await newSession() } }),
  'oauth_server.logout': async () => ({ body: { subject: (await consented()).subject } }),
  'consent_sessions.revoke': async () => ({ params: { subject: (await consented()).subject } }),

  'oauth_clients.create': async () => ({
    body: { client_name: 'audited', grant_types: ['client_credentials'], scope: 'read' },
  }),
  'oauth_clients.update': async () => ({
    params: { id: (await makeClient()).id },
    body: { client_name: 'audited anew' },
  }),
  'oauth_clients.delete': async () => ({ params: { id: (await makeClient()).id } }),
  'oauth_clients.rotate_secret': async () => ({ params: { id: (await makeClient()).id } }),
  'oauth_clients.configure_tokens': async () => ({
    params: { id: (await makeClient()).id },
    body: { access_token_ttl: 900 },
  }),
  'claims_config.replace': async () => {
    const held = await holdClaimsConfig()
    return { body: await dashboard('GET', '/claims-config'), after: () => held[Symbol.asyncDispose]() }
  },
  'signing_keys.create': async () => ({ body: newSigningKey() }),
  'signing_keys.delete': async () => {
    const { set_id: set, kid } = await dashboard<{ set_id: string; kid: string }>(
      'POST',
      '/keys',
      newSigningKey(),
    )
    return { params: { set, kid } }
  },
  'tokens.revoke': async () => {
    const { id, secret } = await makeClient()
    return { body: { token: (await machineToken(id, secret)).json['access_token'] } }
  },
  'tokens.flush': async () => ({}),

  'permissions.import': async () => ({ body: { tuples: [newTuple().text] } }),
  'permissions.write': async () => ({ body: newTuple().text }),
  'permissions.batch_delete': async () => ({ body: { tuples: [(await storedTuple()).text] } }),
  'permissions.delete': async () => {
    const { object } = await storedTuple()
    return { query: `?${new URLSearchParams({ ...TUPLE, object })}` }
  },

  'migrations.run': () => atMigrations(async () => ({ migrations: ['0001_first.sql'] })),
  'migrations.mark_applied': () => atMigrations(async () => ({ migration: '0001_first.sql' })),
  'migrations.accept': () =>
    atMigrations(async ({ url, owner }) => {
      const body = JSON.stringify({ migrations: ['0001_first.sql'] })
      await fetch(`${url}/api/migrations/idempotent/run`, { method: 'POST', headers: SESSION, body })
      await owner.query("update quoin.migration_hashes set hash = 'another'")
      return { migration: '0001_first.sql' }
    }),

  'webhooks.create': async () => ({
    body: { name: 'audited', table_name: await makeTable(), events: ['INSERT'], url: NOBODY },
  }),
  'webhooks.update': async () => ({ params: { id: await newWebhook() }, body: { active: false } }),
  'webhooks.delete': async () => ({ params: { id: await newWebhook() } }),
  'webhooks.test': async () => ({ params: { id: await newWebhook() } }),
  'webhooks.replay': async () => {
    const id = await newWebhook()
    await webhooks('POST', `/${id}/test`)
    const [entry] = await logOf(id, 1)
    return { params: { id, logId: String(entry?.['id']) } }
  },
  'webhooks.replay_failed': async () => ({
    params: { id: await newWebhook() },
    body: { since: new Date().toISOString() },
  }),
  'webhooks.replay_dead_letter': async () => {
    const id = await newWebhook()
    await using owner = await connectOwner()
    const { rows } = await owner.query(
      `insert into quoin.dead_letters (webhook_id, event_id, reason, payload)
        values ($1, '1.0', 'attempts_exhausted', $2) returning id`,
      [id, LETTER],
    )
    return { params: { id, deadLetterId: String(rows[0]?.id) } }
  },

  'storage.create_bucket': newBucketName,
  'storage.supabase_create_bucket': newBucketName,
  'storage.update_bucket': () => atBucket({ public: true }),
  'storage.supabase_update_bucket': () => atBucket({ public: true }),
  'storage.empty_bucket': () => atBucket(),
  'storage.supabase_empty_bucket': () => atBucket(),
  'storage.delete_bucket': () => atBucket(),
  'storage.supabase_delete_bucket': () => atBucket(),
  'storage.upload': () => atBucket({}),
  'storage.replace': () => atBucket({}),
  'storage.delete': () => atFile(),
  'storage.delete_objects': () => atFile(() => ({ names: [FILE] })),
  'storage.copy': () => atFile(transferFrom),
  'storage.move': () => atFile(transferFrom),
  'storage.sign_downloads': () => atFile(bucket => ({ bucket, names: [FILE], expires_in: 60 })),
  'storage.sign_uploads': () => atFile(bucket => ({ bucket, names: ['another.json'] })),
}

/** A call that is refused when its row is there already: by the database, or by what somebody else did meanwhile. */
export const REFUSED_CALLS: AuditedCalls = {
  'sql.run': async () => ({ body: { sql: 'select * from no_such_table' } }),
  'sql.transaction': async () => ({ body: { statements: [{ sql: 'select 1' }, { sql: 'select 1/0' }] } }),
  'db.insert': async () => ({ params: { table: 'no_such_table' }, body: { id: 1 } }),
  'db.update': async () => ({ params: { table: 'no_such_table' }, query: '?id=eq.1', body: { id: 1 } }),
  'db.delete': async () => ({ params: { table: 'no_such_table' }, query: '?id=eq.1' }),
  'keys.rotate': async () => ({ params: { id: await revokedKey() } }),
}

const LETTER =
  '{"event":"INSERT","schema":"public","table":"t","row":{"id":1},"old_row":null,' +
  '"timestamp":"2026-01-01T00:00:00.000Z"}'
const NOBODY = 'http://127.0.0.1:9/'
const SESSION = { cookie: stack.session_cookie_user ?? '', 'content-type': 'application/json' }

const filledTable = () =>
  makeTable("create table %s (id bigint primary key, note text); insert into %s values (1, 'one')")
async function newProject(): Promise<string> {
  await using owner = await connectOwner()
  const { rows } = await owner.query("insert into quoin.projects (name) values ('audited') returning id")
  return rows[0].id
}

const newKey = async () => (await makeKey('anon')).id
const newWebhook = async () => makeWebhook({ table_name: await makeTable(), url: NOBODY })
const newSigningKey = () => ({ set_id: `audited-${randomUUID()}`, algorithm: 'ES256', use: 'sig' })

async function revokedKey(): Promise<string> {
  const id = await newKey()
  await fetch(`${stack.base_url}/v1/keys/${id}`, {
    method: 'DELETE',
    headers: { apikey: stack.service_role_key },
  })
  return id
}

async function newSession(): Promise<string> {
  const person = await makePerson()
  await signInAsBrowser(stack.identity_public_url ?? '', person)
  const sessions = await fetch(`${stack.identity_admin_url}/admin/identities/${person.id}/sessions`)
  const [session] = (await sessions.json()) as { id: string }[]
  return session?.id ?? ''
}

/** Somebody who is signed in to an application. */
async function consented(): Promise<{ subject: string }> {
  const browser = await newBrowser()
  await tokensFor({ client: await registerClient(), browser, scope: 'openid' })
  return { subject: browser.person.id }
}

/** In each bucket that a call is made on. */
const FILE = 'audited/file.json'
const NEW_FILE = 'audited/new.json'

const transferFrom = (bucket: string) => ({
  from: { bucket, name: FILE },
  to: { bucket, name: NEW_FILE },
})

function removeBucket(bucket: string): () => Promise<unknown> {
  return async () => {
    await using owner = await connectOwner()
    await owner.query('delete from storage.objects where bucket_id = $1', [bucket])
    await owner.query('delete from storage.buckets where id = $1', [bucket])
  }
}

async function newBucketName(): Promise<AuditedCall> {
  const name = unique('audited')
  return { body: { name }, after: removeBucket(name) }
}

/** A call on an empty bucket; of files on a new one in it. */
async function atBucket(body?: unknown): Promise<AuditedCall> {
  const bucket = unique('audited')
  await using owner = await connectOwner()
  await owner.query('insert into storage.buckets (id, name) values ($1, $1)', [bucket])
  return { params: { bucket, name: NEW_FILE }, body, after: removeBucket(bucket) }
}

/** A call on a bucket with a file. */
async function atFile(bodyFor: (bucket: string) => unknown = () => undefined): Promise<AuditedCall> {
  const call = await atBucket()
  const { bucket = '' } = call.params ?? {}
  const made = await fetch(`${stack.base_url}/v1/storage/objects/${bucket}/${FILE}`, {
    method: 'POST',
    headers: { apikey: stack.service_role_key, 'content-type': 'application/json' },
    body: '{}',
  })
  if (!made.ok) throw new Error(`no file: ${made.status} ${await made.text()}`)
  return { ...call, params: { bucket, name: FILE }, body: bodyFor(bucket) }
}

const TUPLE = { namespace: 'Project', relation: 'viewer', subject: 'alice' }

function newTuple(): { object: string; text: string } {
  const object = unique('audited')
  return { object, text: `${TUPLE.namespace}:${object}#${TUPLE.relation}@${TUPLE.subject}` }
}

async function storedTuple(): Promise<{ object: string; text: string }> {
  const tuple = newTuple()
  await importTuples([tuple.text])
  return tuple
}

let built: Promise<WorkerOfProject> | undefined

/** Deletes what the calls of migrations were made with. */
export async function removeBuilt(): Promise<void> {
  await built?.then(worker => worker.remove())
}

/** A Worker with a migration that is pending in a database of its own; `prepare` answers the body. */
async function atMigrations(
  prepare: (at: NonNullable<AuditedCall['at']>) => Promise<unknown>,
): Promise<AuditedCall> {
  built ??= workerWithMigrations({ '0001_first.sql': 'create table first ();' })
  const database = await migrationDatabase()
  const gateway = await startGateway({ databaseUrls: [database.url] })
  const quoin = await startTestWorker({
    built: await built,
    vars: { DATABASE_URL: database.url, SQL_GATEWAY_URL: gateway.url },
  })
  const at = { url: quoin.url, owner: database.owner }
  const after = async () => {
    await quoin.close()
    await gateway.close()
    await database[Symbol.asyncDispose]()
  }
  return { at, after, body: await prepare(at) }
}
