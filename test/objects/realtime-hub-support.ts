// A hub inside workerd over a log, limiters and a database that the test holds in its hands, and clients of it.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { RealtimeHub } from '../../durable-objects/realtime-hub/realtime-hub.ts'
import type { Env } from '../../src/deps.ts'
import type { Confirmation } from '../../src/features/api-keys/limit/admission.ts'
import { type HubState, PASS_HEADER, type SocketPass } from '../../src/features/realtime/hub/hub-contract.ts'
import type { LogEntry, LogPush, LogReading } from '../../src/features/realtime/log/log-contract.ts'
import type { SightAnswer } from '../../src/features/realtime/sight/sight-contract.ts'
import { eventually } from './eventually.ts'

const { REALTIME_HUB } = env as unknown as { REALTIME_HUB: DurableObjectNamespace<RealtimeHub> }
export const TABLE = 7
const OTHER = 8
const TABLES: Readonly<Record<string, number>> = { notes: TABLE, others: OTHER }
const ISSUER = 'https://oauth.test'
const IDENTITY = 'https://identity.test'
const COLUMNS = ['id', 'owner']
const KEYS = await generateKeyPair('ES256', { extractable: true })

type Frame = readonly [
  joinRef: string | null,
  ref: string | null,
  topic: string,
  event: string,
  payload: unknown,
]

/** What waits: statements and calls of the log that have `text` in them. */
export interface Held {
  readonly text: string
  readonly until: Promise<void>
  readonly release: () => void
  waiting: number
}

/** What a hub asks for, and what it is answered. */
export interface World {
  entries: LogEntry[]
  head: number
  /** Set: the log fails so. */
  logFailure: Error | undefined
  oldest: number
  reads: number
  /** Tables that the log was asked to tell of, and claims that policies read. */
  followed: readonly number[]
  claimsRead: readonly string[]
  /** A question of sight waits for it. */
  gate: Promise<void> | undefined
  questions: number
  held: Held | undefined
  /** Set: Postgres fails each question so. */
  sqlstate: string | undefined
  /** By a key's hash. */
  confirmations: Map<string, Confirmation | Error>
  sessions: Map<string, boolean>
}

export interface TestHub {
  readonly world: World
  readonly stub: DurableObjectStub<RealtimeHub>
  /** The object loses its memory, its sockets stay open. `asleep` happens to its storage meanwhile. */
  sleep(asleep?: (storage: DurableObjectStorage) => void): Promise<void>
  /** A change in the log; the hub is not told. `owner` null: everybody may see it. */
  log(owner?: string | null): number
  gap(): number
  /** The log tells the hub everything behind `after`. */
  push(after: number | null): Promise<void>
  /** From now on, and until `release`; what was held before stays so. */
  hold(text: string): Held
  /** `log` and `push`. */
  change(owner?: string | null): Promise<number>
  open(pass?: Partial<SocketPass>): Promise<Client>
  tryOpen(pass?: Partial<SocketPass>): Promise<Response>
  state(): Promise<HubState>
  recheck(): Promise<void>
  broadcast(caller: string, messages: never[] | readonly unknown[]): Promise<string>
}

export interface Client {
  readonly frames: Frame[]
  readonly closed: { code: number; reason: string }[]
  send(event: string, payload?: unknown, topic?: string, joinRef?: string | null): string
  /** The answer to what is sent. */
  ask(...said: Parameters<Client['send']>): Promise<{ status: string; response: Record<string, unknown> }>
  join(config?: unknown, more?: { token?: string; topic?: string }): Promise<string>
  heartbeat(): Promise<void>
  /** The numbers of rows that it was told, in order. */
  rows(): number[]
  /** Messages of `system`. */
  system(): string[]
  events(event: string): unknown[]
  close(): void
}

export const NOTES = { postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] }
export const refetches = (client: Client) => client.system().filter(text => text === 'must_refetch').length

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

export const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)

/** An access token of the person, for so many seconds. */
export function tokenOf(sub: string, seconds = 3_600): Promise<string> {
  const exp = Math.floor(Date.now() / 1_000) + seconds
  return new SignJWT({ sub, exp, client_id: 'app', scope: 'openid' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuer(ISSUER)
    .sign(KEYS.privateKey)
}

/** A hub of its own project, with these variables. */
export async function startHub(variables: Record<string, string> = {}): Promise<TestHub> {
  const world: World = {
    ...{ entries: [], head: 0, oldest: 0, reads: 0, questions: 0, followed: [], claimsRead: [] },
    ...{ logFailure: undefined, gate: undefined, held: undefined, sqlstate: undefined },
    confirmations: new Map(),
    sessions: new Map(),
  }
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => answer(world, new URL(url), init))
  const stub = REALTIME_HUB.getByName(crypto.randomUUID())
  let hub: RealtimeHub
  const wake = (asleep?: (storage: DurableObjectStorage) => void) =>
    runInDurableObject(stub, (instance, state) => {
      asleep?.(state.storage)
      hub = replace(instance, state, world, variables)
    })
  await wake()
  const push = async (after: number | null) => {
    const entries = after === null ? [] : world.entries.filter(({ number }) => number > after)
    const told: LogPush = { after, entries, upTo: world.head, hasMore: after === null }
    await runInDurableObject(stub, () => hub.changed(told))
  }
  const log = (owner: string | null = null) => {
    world.entries.push(changeOf(++world.head, owner))
    return world.head
  }
  return {
    world,
    stub,
    log,
    push,
    gap() {
      world.entries.push({ kind: 'gap', isNewLife: false, number: ++world.head })
      return world.head
    },
    hold(text) {
      const { promise: until, resolve: release } = Promise.withResolvers<void>()
      world.held = { text, until, release, waiting: 0 }
      return world.held
    },
    async change(owner = null) {
      const number = log(owner)
      await push(number - 1)
      return number
    },
    async sleep(asleep) {
      await evictDurableObject(stub)
      await wake(asleep)
    },
    state: () => runInDurableObject(stub, () => hub.state()),
    recheck: () => runInDurableObject(stub, () => hub.recheck()),
    broadcast: (caller, messages) => runInDurableObject(stub, () => hub.broadcast(caller, messages as never)),
    tryOpen: pass => upgrade(stub, pass),
    async open(pass) {
      const { webSocket, status } = await upgrade(stub, pass)
      if (webSocket === null) throw new Error(`no socket: ${status}`)
      return clientOf(webSocket)
    },
  }
}

/** Behind the object that the runtime calls stands one with the test's world. */
function replace(
  instance: RealtimeHub,
  state: DurableObjectState,
  world: World,
  variables: Record<string, string>,
) {
  const replaced = new RealtimeHub(state, {
    ...env,
    SQL_GATEWAY_URL: 'https://gateway.test',
    OAUTH_PUBLIC_URL: ISSUER,
    IDENTITY_ADMIN_URL: IDENTITY,
    ...variables,
    REALTIME_LOG: { getByName: () => logOf(world) },
    API_KEY_LIMITER: { getByName: (hash: string) => limiterOf(world, hash) },
  } as unknown as Env)
  for (const name of ['fetch', 'webSocketMessage', 'webSocketClose', 'webSocketError', 'alarm'] as const)
    Object.assign(instance, { [name]: replaced[name].bind(replaced) })
  return replaced
}

function changeOf(number: number, owner: string | null): LogEntry {
  return {
    kind: 'change',
    number,
    event_id: `e1:${number}.0`,
    table_id: TABLE,
    event: 'INSERT',
    occurred_at: '2026-01-01T00:00:00.000Z',
    row: JSON.stringify({ id: number, owner }),
    old_row: null,
    error: null,
  }
}

function logOf(world: World) {
  return {
    async follow(_name: string, tableIds: readonly number[]) {
      await passHeld(world, 'follow')
      if (world.logFailure) throw world.logFailure
      world.followed = tableIds
      return world.head
    },
    async read(after: number, tableIds: readonly number[]): Promise<LogReading> {
      world.reads += 1
      if (world.logFailure) throw world.logFailure
      if (after < world.oldest) return 'too_old'
      const entries = world.entries.filter(
        one => one.number > after && (one.kind === 'gap' || tableIds.includes(one.table_id)),
      )
      return { entries, upTo: world.head, hasMore: false }
    },
  }
}

async function passHeld({ held }: World, asked: string): Promise<void> {
  if (!held || !asked.includes(held.text)) return
  held.waiting += 1
  await held.until
}

function limiterOf(world: World, hash: string) {
  return {
    admit: async () => ({ outcome: 'admitted' }),
    async confirm() {
      const said = world.confirmations.get(hash) ?? 'good'
      if (said instanceof Error) throw said
      return said
    },
  }
}

async function answer(world: World, url: URL, init: RequestInit): Promise<Response> {
  if (url.origin === ISSUER) {
    const jwk = { ...(await exportJWK(KEYS.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
    return Response.json({ keys: [jwk] })
  }
  if (url.origin === IDENTITY) {
    const id = url.pathname.split('/').at(-1) ?? ''
    const active = world.sessions.get(id)
    if (active === undefined) return new Response('down', { status: 503 })
    return Response.json({ id, active, identity: { id, schema_id: 's', traits: {} } })
  }
  const { queries } = JSON.parse(String(init.body)) as { queries: { query: string; params: string[] }[] }
  const { sqlstate: code } = world
  if (code !== undefined && queries.some(({ query }) => query.includes('quoin.rows_in_sight')))
    return Response.json({ severity: 'ERROR', routine: 'f', code, message: 'not judged' }, { status: 400 })
  const results = []
  for (const { query, params } of queries) {
    await passHeld(world, query)
    const rows = [[JSON.stringify(await rowsOf(world, query, params))]]
    results.push({ command: 'SELECT', rowCount: 1, fields: [], rows })
  }
  return Response.json({ results })
}

async function rowsOf(world: World, query: string, params: string[]): Promise<unknown> {
  if (query.includes('quoin.table_in_sight')) {
    const name = params[1] ?? ''
    const typed = COLUMNS.map(column => ({ name: column, type: 'text', baseType: 'text' }))
    return [{ table_name: name, table: tableOf(name), typed, reason: null }]
  }
  if (query.includes('quoin.topic_rights')) {
    const seen = params[2]?.includes('closed') ? [] : params[2]?.includes('heard') ? [] : 'all'
    return { read: params[2]?.includes('closed') ? [] : 'all', write: seen }
  }
  if (!query.includes('quoin.rows_in_sight')) return []
  const asked = JSON.parse(params[0] ?? '[]') as {
    table_id: number
    images: string[]
    callers: { claims: string }[]
  }[]
  // A join asks too, about no row.
  if (asked.some(({ images }) => images.length > 0)) {
    world.questions += 1
    await world.gate
  }
  return asked.map(({ table_id, images, callers }) => ({
    table: { ...tableOf(nameOf(table_id)), fits: true, claims_read: world.claimsRead },
    seen: callers.map(({ claims }): SightAnswer['seen'][number] => {
      const { sub } = JSON.parse(claims) as { sub?: string }
      const owners = images.map(image => (JSON.parse(image) as { owner: string | null }).owner)
      return owners.flatMap((owner, i) => (owner === null || owner === sub ? [i] : []))
    }),
  }))
}

const nameOf = (tableId: number) => Object.keys(TABLES).find(name => TABLES[name] === tableId) ?? ''

const tableOf = (name: string) => ({
  table_id: TABLES[name],
  table_schema: 'public',
  table_name: name,
  columns: COLUMNS.map(column => ({ name: column, type: 'text' })),
  selectable: { anon: COLUMNS, service_role: COLUMNS },
  claims_read: [],
})

function upgrade(stub: DurableObjectStub<RealtimeHub>, more: Partial<SocketPass> = {}): Promise<Response> {
  const pass: SocketPass = {
    role: 'anon',
    caller: 'key',
    keyHash: 'hash',
    sessionId: null,
    endsAtMs: null,
    address: '192.0.2.1',
    vsn: '2.0.0',
    client: null,
    claims: {},
    requestId: 'test',
    ...more,
  }
  const headers = { upgrade: 'websocket', [PASS_HEADER]: encodeURIComponent(JSON.stringify(pass)) }
  return stub.fetch('https://hub.test/', { headers })
}

/** A broadcast in bytes; what it carries is JSON. */
function readBytes(bytes: Uint8Array): Frame {
  const [, topic = 0, event = 0, meta = 0] = bytes
  const carried = new TextDecoder().decode(bytes.subarray(5 + topic + event + meta))
  return [null, null, '', 'broadcast', { payload: JSON.parse(carried) as unknown }]
}

function clientOf(ws: WebSocket): Client {
  const frames: Frame[] = []
  const closed: { code: number; reason: string }[] = []
  ws.binaryType = 'arraybuffer'
  ws.addEventListener('message', ({ data }) => {
    frames.push(typeof data === 'string' ? (JSON.parse(data) as Frame) : readBytes(new Uint8Array(data)))
  })
  ws.addEventListener('close', ({ code, reason }) => {
    closed.push({ code, reason })
  })
  ws.accept()
  let refs = 0
  const events = (event: string) => frames.filter(frame => frame[3] === event).map(frame => frame[4])
  const send: Client['send'] = (event, payload = {}, topic = 'realtime:room', joinRef = null) => {
    const ref = String(++refs)
    ws.send(JSON.stringify([event === 'phx_join' ? ref : joinRef, ref, topic, event, payload]))
    return ref
  }
  const ask: Client['ask'] = async (...said) => {
    const ref = send(...said)
    const isReply = (frame: Frame) => frame[1] === ref && frame[3] === 'phx_reply'
    return await eventually(() => {
      const reply = frames.find(isReply)
      expect(reply, JSON.stringify(frames)).toBeDefined()
      return reply?.[4] as { status: string; response: Record<string, unknown> }
    })
  }
  return {
    frames,
    closed,
    send,
    ask,
    events,
    async join(config = NOTES, { token, topic } = {}) {
      const payload = { config, ...(token === undefined ? {} : { access_token: token }) }
      const { status, response } = await ask('phx_join', payload, topic)
      return status === 'ok' ? 'ok' : String(response['reason'])
    },
    async heartbeat() {
      await ask('heartbeat', {}, 'phoenix')
    },
    rows: () =>
      events('postgres_changes').map(payload => {
        const { data } = payload as { data: { record: { id: number } } }
        return Number(data.record.id)
      }),
    system: () => events('system').map(payload => (payload as { message: string }).message),
    close: () => ws.close(1000),
  }
}
