// A deployment with DATA_USER_ROLE=authenticated: policies TO authenticated hold for signed-in persons beside an anon
// key, on every way to the data. The stack is the file's own, since roles belong to a whole cluster.

import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adoptSupabase } from '../../../cli/adoption/supabase.ts'
import { makeWithCluster } from '../../support/cluster.ts'
import { openRaw } from '../../support/realtime.ts'
import { makeStackFolder, type RunningStack, startStack } from '../../support/stack.ts'

const [ADA, BOB] = ['0d8f2ad0-3c6a-4b8e-9d50-2f1a4c7f0a01', '7b1f5f6e-20b4-4a3c-8a3e-5f7a90c1b002']
const WITHOUT_ROLE = { code: 'user_role_missing', hint: expect.stringContaining('npm run adopt -- supabase') }

const folder = makeStackFolder()
let stack: RunningStack
let issuer: Server
let issuerUrl: string
let privateKey: CryptoKey

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  privateKey = pair.privateKey
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }]
  issuer = createServer((_, res) =>
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })),
  )
  await new Promise<void>(resolve => issuer.listen(0, '127.0.0.1', resolve))
  issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  const dataDir = join(folder, 'stack')
  await makeWithCluster(dataDir)
  const env = {
    DATA_USER_ROLE: 'authenticated',
    OAUTH_PUBLIC_URL: issuerUrl,
    OAUTH_ADMIN_URL: issuerUrl,
    RATE_LIMIT_PER_MINUTE: '100000',
    API_RATE_LIMIT_PER_MINUTE: '100000',
  }
  stack = await startStack(dataDir, { env })
})
afterAll(async () => {
  await stack?.stop()
  issuer?.close()
  rmSync(folder, { recursive: true, force: true })
})

const tokenOf = (sub: string, more: JWTPayload = {}) =>
  new SignJWT({ client_id: 'app', scp: ['notes'], ...more })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer(issuerUrl)
    .setSubject(sub)
    .setExpirationTime('5m')
    .sign(privateKey)

interface Sent {
  readonly sub?: string
  readonly claims?: JWTPayload
  readonly isService?: boolean
  readonly body?: unknown
  readonly type?: string
  readonly cookie?: string | null
}

/** POST where there is a body. */
async function call(path: string, { sub, claims, isService = false, body, type, cookie }: Sent = {}) {
  const { base_url, anon_key, service_role_key } = stack.facts
  const headers: Record<string, string> = { 'content-type': type ?? 'application/json' }
  if (cookie) headers['cookie'] = cookie
  else headers['apikey'] = isService ? service_role_key : anon_key
  if (sub !== undefined) headers['authorization'] = `Bearer ${await tokenOf(sub, claims)}`
  const sent = type === undefined ? JSON.stringify(body) : String(body)
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: sent }
  const response = await fetch(base_url + path, init)
  const text = await response.text()
  return {
    status: response.status,
    text,
    json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
  }
}

async function asOwner(sql: string): Promise<void> {
  const owner = new Client({ connectionString: stack.facts.database_url })
  await owner.connect()
  await owner.query(sql)
  await owner.end()
}

const NOTES = `
  create table public.notes (id int primary key, user_id uuid default auth.uid(), note text);
  alter table public.notes enable row level security;
  create policy own on public.notes to authenticated using (auth.uid() = user_id) with check (auth.uid() = user_id);
  grant select, insert on public.notes to anon, authenticated;
  insert into public.notes values (1, '${ADA}', 'of Ada'), (2, '${BOB}', 'of Bob');
  create table public.replies (id int primary key,
    note_id int references public.notes, user_id uuid default auth.uid());
  alter table public.replies enable row level security;
  create policy own on public.replies to authenticated using (auth.uid() = user_id);
  grant select on public.replies to anon, authenticated;
  insert into public.replies values (1, 1, '${ADA}'), (2, 1, '${BOB}'), (3, 2, '${BOB}');
  create function public.who() returns json language sql stable return json_build_object('runs_as', current_user,
    'role', auth.role(), 'uid', auth.uid(), 'email', auth.email(), 'app', auth.jwt() ->> 'client_id',
    'timeout', current_setting('statement_timeout'));
  grant execute on function public.who() to anon, authenticated, service_role;
  insert into storage.buckets (id, name) values ('notes', 'notes');
  create policy own on storage.objects to authenticated
    using ((storage.foldername(name))[1] = auth.uid()::text)
    with check ((storage.foldername(name))[1] = auth.uid()::text);
  create policy members on realtime.messages to authenticated using (realtime.topic() = auth.uid()::text)`

it('teaches whoever runs it as long as the role is missing, and serves all others', async () => {
  expect(await call('/v1/db/todos', { sub: ADA })).toMatchObject({ status: 501, json: WITHOUT_ROLE })
  const { json: onRest } = await call('/rest/v1/todos', { sub: ADA })
  expect(onRest).toMatchObject({ code: expect.any(String), hint: WITHOUT_ROLE.hint })
  expect(await call('/v1/storage/buckets', { sub: ADA })).toMatchObject({ status: 501, json: WITHOUT_ROLE })
  using socket = await openRaw({
    key: stack.facts.anon_key,
    token: await tokenOf(ADA),
    baseUrl: stack.facts.base_url,
  })
  const refused = await socket.join('todos', [{ event: '*', schema: 'public', table: 'todos' }])
  expect(refused.response.reason).toMatch(/UserRoleMissing: .*npm run adopt -- supabase/)
  const { json: status } = await call('/v1/status', { isService: true })
  expect(JSON.stringify(status)).toContain('DATA_USER_ROLE is authenticated')
  expect(await call('/v1/db/todos')).toMatchObject({ status: 200 })
  expect(await call('/v1/db/todos', { sub: ADA, isService: true })).toMatchObject({ status: 200 })
})

describe('with the role', () => {
  beforeAll(async () => {
    await adoptSupabase(stack.facts.database_url, () => {})
    await asOwner(NOTES)
  })

  it.each([
    ['nobody', {}, 'anon', null],
    ['a person', { sub: ADA }, 'authenticated', ADA],
    // A token that claims a role stays what the key and the deployment make of it.
    ['a person who claims a role', { sub: ADA, claims: { role: 'service_role' } }, 'authenticated', ADA],
    ['a person who claims none', { sub: ADA, claims: { role: 'anon' } }, 'authenticated', ADA],
    ['a service_role key', { isService: true }, 'service_role', null],
    ['a service_role key beside a person', { isService: true, sub: ADA }, 'service_role', ADA],
  ])('runs functions for %s as the role that request.jwt.claims says', async (_, sent, role, uid) => {
    const claims = { email: 'ada@example.com', ...('claims' in sent ? sent.claims : {}) }
    const { json } = await call('/v1/db/rpc/who', { ...sent, claims, body: {} })
    const person = uid === null ? { email: null, app: null } : { email: claims.email, app: 'app' }
    // Whoever has a public key can sign up: a call may take no longer for that.
    const timeout = role === 'service_role' ? '10s' : '3s'
    expect(json).toEqual({ runs_as: role, role, uid, timeout, ...person })
  })

  it('shows rows by policies TO authenticated, and to service_role all', async () => {
    const idsOf = async (sent: Sent) => (await call('/v1/db/notes?select=id&order=id', sent)).json
    expect(await idsOf({ sub: ADA })).toEqual([{ id: 1 }])
    expect(await idsOf({ sub: BOB })).toEqual([{ id: 2 }])
    expect(await idsOf({})).toEqual([])
    expect(await idsOf({ sub: ADA, isService: true })).toEqual([{ id: 1 }, { id: 2 }])
    // On every level of a tree.
    for (const mount of ['/v1/db', '/rest/v1']) {
      const tree = (sent: Sent) => call(`${mount}/notes?select=id,replies(id)&order=id`, sent)
      expect((await tree({ sub: ADA })).json).toEqual([{ id: 1, replies: [{ id: 1 }] }])
      expect((await tree({ sub: BOB })).json).toEqual([{ id: 2, replies: [{ id: 3 }] }])
      expect((await tree({})).json).toEqual([])
    }
  })

  it('lets a person write their own rows, and says 403 with the role in the hint otherwise', async () => {
    const own = await call('/v1/db/notes', { sub: ADA, body: { id: 3, note: 'new' } })
    expect(own).toMatchObject({ status: 201, json: [{ id: 3, user_id: ADA }] })
    const foreign = await call('/v1/db/notes', { sub: ADA, body: { id: 4, user_id: BOB } })
    expect(foreign).toMatchObject({ status: 403, json: { code: '42501' } })
    expect(foreign.json.hint).toContain('lets authenticated write')
    const closed = await call('/v1/db/todos', { sub: ADA })
    expect(closed).toMatchObject({ status: 403, json: { code: '42501' } })
    expect(closed.json.hint).toContain('GRANT SELECT ON public.todos TO authenticated;')
    expect(await call('/v1/db/notes', { body: { id: 4 } })).toMatchObject({ status: 401 })
  })

  it('takes the rows of new persons as the identity provider sends them (docs/adopt.md)', async () => {
    const sql =
      'insert into auth.users (id, email, raw_user_meta_data) values ($1, $2, $3) on conflict (id) do nothing'
    const traits = JSON.stringify({ email: 'ada@example.com' })
    const send = () =>
      call('/v1/sql', { isService: true, body: { sql, params: [ADA, 'ada@example.com', traits] } })
    expect([(await send()).json.rowCount, (await send()).json.rowCount]).toEqual([1, 0])
  })

  it('leaves SQL to service_role, which is above policies', async () => {
    const sql = 'select current_user, auth.role(), (select count(*)::int from notes where id < 3) as notes'
    const { json } = await call('/v1/sql', { sub: ADA, isService: true, body: { sql } })
    expect(json.rows).toEqual([{ current_user: 'service_role', role: 'service_role', notes: 2 }])
  })

  it('tries a query as a person with the policies of the role', async () => {
    const tryAs = (as: object) =>
      call('/api/database/try-as', {
        cookie: stack.facts.session_cookie_admin,
        body: { sql: 'select id from notes where id < 3', as },
      })
    expect((await tryAs({ kind: 'claims', claims: { sub: ADA } })).json).toMatchObject({
      claims: { role: 'authenticated', sub: ADA },
      result: { rows: [{ id: 1 }] },
      marks: 'made',
      policies: [{ name: 'own' }],
      row_policies: [['own']],
    })
    expect((await tryAs({ kind: 'anon' })).json).toMatchObject({ claims: { role: 'anon' }, policies: [] })
  })

  it('tells each socket of the rows that its role and person see', async () => {
    const { anon_key: key, base_url: baseUrl } = stack.facts
    const follow = [{ event: '*', schema: 'public', table: 'notes' }]
    const open = async (sub?: string) => openRaw({ key, baseUrl, ...(sub && { token: await tokenOf(sub) }) })
    using ada = await open(ADA)
    using bob = await open(BOB)
    using nobody = await open()
    // Whoever signs in later has the role from then on.
    using late = await open()
    for (const socket of [ada, bob, nobody])
      expect(await socket.join('notes', follow)).toMatchObject({ status: 'ok' })
    expect(await late.join('notes', follow, {}, await tokenOf(ADA))).toMatchObject({ status: 'ok' })
    const { json: state } = await call('/v1/realtime', { isService: true })
    expect(state.subscriptions).toMatchObject([{ subscribers: 4, classes: 3 }])
    await asOwner(`insert into public.notes values (6, '${BOB}', 'b')`)
    expect(await call('/v1/db/notes', { sub: ADA, body: { id: 5 } })).toMatchObject({ status: 201 })
    const idsOf = (socket: typeof ada) => socket.changes('notes').map(({ record }) => record.id)
    await expect.poll(() => [ada, bob, late].map(idsOf)).toEqual([[5], [6], [5]])
    expect(idsOf(nobody)).toEqual([])
    const config = { private: true }
    expect(await ada.join(ADA, [], config)).toMatchObject({ status: 'ok' })
    expect(await bob.join(ADA, [], config)).toMatchObject({ status: 'error' })
    expect(await nobody.join(ADA, [], config)).toMatchObject({ status: 'error' })
  })

  it('keeps files by policies TO authenticated', async () => {
    const path = `/storage/v1/object/notes/${ADA}/a.txt`
    const file = { body: 'hello', type: 'text/plain' }
    expect((await call(path, { ...file })).status).toBeGreaterThanOrEqual(400)
    expect((await call(path, { ...file, sub: BOB })).status).toBeGreaterThanOrEqual(400)
    expect(await call(path, { ...file, sub: ADA })).toMatchObject({ status: 200 })
    expect(await call(path, { sub: ADA })).toMatchObject({ status: 200, text: 'hello' })
    expect((await call(path, { sub: BOB })).status).toBeGreaterThanOrEqual(400)
    expect((await call(path)).status).toBeGreaterThanOrEqual(400)
    expect(await call(path, { isService: true })).toMatchObject({ status: 200, text: 'hello' })
  })
})
