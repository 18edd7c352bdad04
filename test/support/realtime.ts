// A client of Phoenix by hand, for tests: it can send what no client would, and sees what supabase-js hides (`number`,
// close codes).

import { inject } from 'vitest'
import { WebSocket } from 'ws'
import { waitUntil } from '../../cli/support/wait.ts'
import { makePerson, PersonsBrowser, registerClient, tokensFor } from './applications.ts'

const DEADLINE_MS = 15_000

/** A message from the server; of a binary broadcast `payload` is its text or bytes. */
export interface ServerFrame {
  readonly joinRef: string | null
  readonly ref: string | null
  readonly topic: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
  readonly payload: any
}

/** One entry of `config.postgres_changes`. */
export interface ChangesConfig {
  readonly event?: string
  readonly schema?: string
  readonly table?: string
  readonly filter?: string
  readonly after?: number
}

export interface RawSettings {
  readonly key: string
  readonly token?: string
  readonly vsn?: '1.0.0' | '2.0.0'
  /** The name by which an unmodified client resumes. */
  readonly client?: string
  /** In place of the stack's. */
  readonly baseUrl?: string
}

export type RawClient = Awaited<ReturnType<typeof openRaw>>

/** Opens a socket of Phoenix; throws where the upgrade is refused. */
export async function openRaw({ key, token, vsn = '2.0.0', client, baseUrl }: RawSettings) {
  const url = new URL('/realtime/v1/websocket', baseUrl ?? inject('stack').base_url)
  url.protocol = 'ws:'
  const query = { apikey: key, vsn, ...(client === undefined ? {} : { client }) }
  url.search = new URLSearchParams(query).toString()
  const ws = new WebSocket(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    maxPayload: 64 * 1024 * 1024,
  })
  const frames: ServerFrame[] = []
  const state: { closed: { code: number; reason: string } | undefined } = { closed: undefined }
  let heard: (frame: ServerFrame) => void = () => undefined
  let refs = 0
  ws.on('message', (data: Buffer, isBinary: boolean) => {
    const frame = isBinary ? readBroadcast(data) : readText(data.toString())
    frames.push(frame)
    heard(frame)
  })
  ws.on('close', (code, reason) => {
    state.closed = { code, reason: String(reason) }
  })
  await new Promise<void>((resolve, reject) => ws.once('open', resolve).once('error', reject))
  ws.on('error', () => {
    // What broke shows as a close.
  })

  const push = (topic: string, event: string, payload: unknown, joinRef: string | null = null): string => {
    refs += 1
    const ref = String(refs)
    ws.send(
      vsn === '2.0.0'
        ? JSON.stringify([joinRef ?? ref, ref, topic, event, payload])
        : JSON.stringify({ topic, event, payload, ref, join_ref: joinRef ?? ref }),
    )
    return ref
  }
  const next = (what: string, matches: (frame: ServerFrame) => boolean): Promise<ServerFrame> =>
    waitUntil({ what, deadlineMs: DEADLINE_MS, intervalMs: 5 }, async () => frames.find(matches))
  /** The answer's payload: `status` and `response`. */
  const ask = async (topic: string, event: string, payload: unknown) => {
    const ref = push(topic, event, payload)
    const isReply = (frame: ServerFrame) => frame.event === 'phx_reply' && frame.ref === ref
    return (await next(`a reply to ${event} of ${topic.slice(0, 60)}`, isReply)).payload
  }
  return {
    ws,
    /** All that came, oldest first. */
    frames,
    state,
    push,
    next,
    ask,
    /** Whatever it is. */
    sendRaw: (data: string | Uint8Array) => ws.send(data),
    /** Joins `realtime:<name>`; answers the reply's payload. */
    join: (name: string, changes: readonly ChangesConfig[] = [], more: object = {}, accessToken?: string) =>
      ask(`realtime:${name}`, 'phx_join', {
        config: { postgres_changes: changes, ...more },
        ...(accessToken === undefined ? {} : { access_token: accessToken }),
      }),
    heartbeat: () => ask('phoenix', 'heartbeat', {}),
    /** The row changes that came on `realtime:<name>`, in their order. */
    changes: (name: string) =>
      frames
        .filter(({ topic, event }) => topic === `realtime:${name}` && event === 'postgres_changes')
        .map(({ payload }) => payload.data),
    /** The `system` messages that came on `realtime:<name>`. */
    news: (name: string) =>
      frames
        .filter(({ topic, event }) => topic === `realtime:${name}` && event === 'system')
        .map(({ payload }) => payload),
    onFrame: (take: (frame: ServerFrame) => void) => {
      heard = take
    },
    closed: () =>
      waitUntil({ what: 'the socket is closed', deadlineMs: DEADLINE_MS }, async () => state.closed),
    /** Without a word, as a broken line does. */
    drop: () => ws.terminate(),
    close: () => ws.close(),
    [Symbol.dispose]: () => ws.terminate(),
  }
}

function readText(text: string): ServerFrame {
  const read = JSON.parse(text)
  if (Array.isArray(read)) {
    const [joinRef, ref, topic, event, payload] = read
    return { joinRef, ref, topic, event, payload }
  }
  return { joinRef: null, ref: read.ref, topic: read.topic, event: read.event, payload: read.payload }
}

/** Kind 4: a broadcast to clients of version 2.0.0. */
function readBroadcast(data: Buffer): ServerFrame {
  const [topicEnd, eventEnd, metaEnd] = lengths(data, 5)
  const name = data.toString('utf8', topicEnd, eventEnd)
  const body = data.subarray(metaEnd)
  const payload = data[4] === 1 ? JSON.parse(body.toString()) : body
  const topic = data.toString('utf8', 5, topicEnd)
  return { joinRef: null, ref: null, topic, event: 'broadcast', payload: { event: name, payload } }
}

function lengths(data: Buffer, start: number): [number, number, number] {
  const topicEnd = start + (data[1] ?? 0)
  const eventEnd = topicEnd + (data[2] ?? 0)
  return [topicEnd, eventEnd, eventEnd + (data[3] ?? 0)]
}

/** Somebody signed in at an application of their own; both are claims that policies read. */
export interface SignedIn {
  readonly sub: string
  readonly clientId: string
  readonly token: string
}

/** `fields` are those of the client that is registered, such as `access_token_ttl`. */
export async function signIn(fields: Record<string, unknown> = {}): Promise<SignedIn> {
  const [person, client] = [await makePerson(), await registerClient(fields)]
  const { access_token } = await tokensFor({ client, browser: new PersonsBrowser(person) })
  return { sub: person.id, clientId: client.client_id, token: access_token }
}
