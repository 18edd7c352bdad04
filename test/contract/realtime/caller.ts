// Sockets and calls of realtime as tests make them.

import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'

const { base_url: baseUrl } = inject('stack')

/** A message to or from a client of version 2.0.0, in its parts; of a binary broadcast with its payload as text. */
export type Message = readonly [
  joinRef: string | null,
  ref: string | null,
  topic: string,
  event: string,
  payload: unknown,
]

/** A client that speaks Phoenix 2.0.0 and keeps what it hears. */
export interface Socket extends AsyncDisposable {
  readonly heard: readonly Message[]
  readonly closed: Promise<{ code: number; reason: string }>
  send(message: Message): void
  /** Joins, and answers what came of it. */
  join(topic: string, config?: object): Promise<unknown>
  /** The first broadcast of the event, once it came. */
  broadcast(event: string): Promise<string | Uint8Array>
}

/** Opens a socket. Rejects where it is refused: ask `refusalOf` why. */
export async function openSocket(path: string): Promise<Socket> {
  const ws = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}${path}`)
  ws.binaryType = 'arraybuffer'
  const heard: Message[] = []
  const waiting = new Set<() => void>()
  const closed = new Promise<{ code: number; reason: string }>(resolve => {
    ws.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
  })
  ws.addEventListener('message', ({ data }) => {
    heard.push(typeof data === 'string' ? JSON.parse(data) : readBroadcast(new Uint8Array(data)))
    for (const look of waiting) look()
  })
  await new Promise<void>((resolve, reject) => {
    ws.addEventListener('open', () => resolve())
    ws.addEventListener('error', () => reject(new Error('the socket was refused')))
  })
  const find = (isIt: (message: Message) => boolean) =>
    new Promise<Message>(resolve => {
      const look = () => {
        const found = heard.find(isIt)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  const send = (message: Message) => ws.send(JSON.stringify(message))
  return {
    heard,
    closed,
    send,
    async join(topic, config = {}) {
      const ref = crypto.randomUUID()
      send([ref, ref, `realtime:${topic}`, 'phx_join', { config }])
      const [, , , , payload] = await find(message => message[1] === ref && message[3] === 'phx_reply')
      return payload
    },
    async broadcast(event) {
      const isIt = (payload: unknown) => (payload as { event?: string }).event === event
      const [, , , , payload] = await find(message => message[3] === 'broadcast' && isIt(message[4]))
      return (payload as { payload: string | Uint8Array }).payload
    },
    async [Symbol.asyncDispose]() {
      ws.close()
      await closed
    },
  }
}

/** Kind, three lengths, encoding; then topic, event, metadata and the payload, whose JSON stays as it is. */
function readBroadcast(bytes: Uint8Array): Message {
  const [, topicLength = 0, eventLength = 0, metaLength = 0, encoding] = bytes
  const decode = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length))
  const topic = decode(5, topicLength)
  const event = decode(5 + topicLength, eventLength)
  const payload = bytes.subarray(5 + topicLength + eventLength + metaLength)
  return [
    null,
    null,
    topic,
    'broadcast',
    { event, payload: encoding === 1 ? new TextDecoder().decode(payload) : payload },
  ]
}

export interface Refusal {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
  readonly json: any
}

/** What an upgrade is refused with. Throws where a socket opens. */
export async function refusalOf(path: string, headers: Record<string, string> = {}): Promise<Refusal> {
  const asked: ClientRequest = request(baseUrl + path, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': btoa('0123456789abcdef'),
      ...headers,
    },
  })
  asked.on('upgrade', (_, socket) => {
    socket.destroy()
    asked.destroy(new Error('the socket opened'))
  })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, json: JSON.parse(await text(answer)) }
}

/** A call with a key; the answer's body as text, since most are empty. */
export async function callWith(
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(baseUrl + path, {
    method,
    headers: { apikey: key, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}
