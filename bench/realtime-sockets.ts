// Sockets of realtime for measuring: they speak Phoenix 2 by themselves, since a client's own work would be measured
// too. Of each change they note when it came, and nothing else.

import { once } from 'node:events'
import { WebSocket } from 'ws'

const OPENED_AT_ONCE = 20
/** Browsers ask for compression, which costs memory and time on both sides; most other clients do not. */
const perMessageDeflate = process.env.BENCH_COMPRESSED === '1'
const HEARTBEAT_MS = 25_000
const JOIN_TIMEOUT_MS = 30_000
/** Of an INSERT, where the column `id` comes first. */
const ID_OF_RECORD = /"record":\{"id":(\d+)/

/** When changes came, in milliseconds of `performance.now()`, by the id of the row. */
export interface BenchSocket {
  readonly arrivals: Map<number, number>
  /** What the server said that is none of the expected; empty where all went well. */
  readonly surprises: string[]
  close(): Promise<void>
}

export interface SocketSettings {
  /** Of the Worker. */
  readonly url: string
  readonly apiKey: string
  readonly table: string
  /** An access token for each socket; undefined: the key alone. */
  readonly tokens?: readonly string[]
}

/** Opens so many sockets, each with one channel of its own that follows the table; answers when all have joined. */
export async function openSockets(count: number, settings: SocketSettings): Promise<BenchSocket[]> {
  const sockets: BenchSocket[] = []
  let next = 0
  const open = async () => {
    while (next < count) sockets.push(await openSocket(settings, next++))
  }
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, open))
  return sockets
}

async function openSocket(
  { url, apiKey, table, tokens }: SocketSettings,
  index: number,
): Promise<BenchSocket> {
  const address = `${url.replace('http', 'ws')}/realtime/v1/websocket`
  const ws = new WebSocket(`${address}?vsn=2.0.0&apikey=${apiKey}`, { perMessageDeflate })
  const arrivals = new Map<number, number>()
  const surprises: string[] = []
  const heartbeat = setInterval(() => ws.send('[null,"beat","phoenix","heartbeat",{}]'), HEARTBEAT_MS)
  const topic = `realtime:bench-${index}`
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`socket ${index} does not join`)), JOIN_TIMEOUT_MS)
    ws.on('error', reject)
    ws.on('close', code => {
      clearInterval(heartbeat)
      surprises.push(`closed with ${code}`)
    })
    ws.on('open', () =>
      ws.send(JSON.stringify(['1', '1', topic, 'phx_join', joinOf(table, tokens?.[index])])),
    )
    ws.on('message', (data: Buffer) => {
      const nowMs = performance.now()
      const text = data.toString('latin1')
      const id = ID_OF_RECORD.exec(text)?.[1]
      if (id !== undefined) arrivals.set(Number(id), nowMs)
      else if (text.includes('"Subscribed to PostgreSQL"')) {
        clearTimeout(timer)
        resolve()
      } else if (text.includes('"error"')) {
        surprises.push(text)
        reject(new Error(text))
      }
    })
  })
  return {
    arrivals,
    surprises,
    close: async () => {
      ws.removeAllListeners('close')
      clearInterval(heartbeat)
      const closed = once(ws, 'close')
      ws.close()
      await closed
    },
  }
}

function joinOf(table: string, accessToken: string | undefined): object {
  const config = {
    broadcast: { ack: false, self: false },
    presence: { enabled: false },
    postgres_changes: [{ event: 'INSERT', schema: 'public', table }],
    private: false,
  }
  return { config, ...(accessToken !== undefined && { access_token: accessToken }) }
}
