// Stands for the Worker's ingest route and its consumer: checks the signature and the body, answers, and takes the
// chunks out of the outbox some time later. Watches that no key is in two unconfirmed messages.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { verifyIngest } from '../../src/features/row-changes/ingest/ingest-signature.ts'
import {
  type Chunk,
  MESSAGE_BYTES_MAX,
  RowChangesIn,
} from '../../src/features/row-changes/ingest/messages.ts'
import { KeyOrder } from './key-order.ts'

export const SECRET = 'a secret of thirty-two bytes or more'

export interface ArrivedChange {
  /** `<chunk id>.<index>`. */
  readonly id: string
  readonly tableId: number
  readonly key: string | null
  readonly n: number
  readonly atMs: number
}

/** What the route does with a request: a status, or a promise of one for a slow answer; `hang` never answers. */
export type Answer = number | Promise<number> | 'hang'

export interface FakeIngest {
  readonly url: string
  /** Every change that a 202 was given for, in order, repeats included. */
  readonly arrived: readonly ArrivedChange[]
  /** Every accepted chunk, in order, repeats included. */
  readonly chunks: readonly Chunk[]
  /** The chunk ids of every accepted message. */
  readonly messages: readonly (readonly string[])[]
  readonly largestMessageBytes: number
  readonly requestsUnderWay: number
  /** Requests whose sender left before the answer. */
  readonly brokenOff: number
  /** What was wrong with requests, and keys that were in two unconfirmed messages. */
  readonly faults: readonly string[]
  readonly registryVersions: ReadonlySet<number>
  /** Default: the one. */
  secrets: readonly string[]
  /** Default: 202. */
  answer: (body: RowChangesIn) => Answer
  /** How long after the answer a message is confirmed; undefined: never. Default: 5. */
  confirmAfterMs: number | undefined
  confirmTwice: boolean
  /** Confirms now whatever was accepted and is not confirmed yet. */
  confirmAll(): Promise<void>
  close(): Promise<void>
}

export async function startFakeIngest(databaseUrl: string): Promise<FakeIngest> {
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  database.on('error', () => undefined)
  const arrived: ArrivedChange[] = []
  const chunks: Chunk[] = []
  const faults: string[] = []
  const order = new KeyOrder()
  const registryVersions = new Set<number>()
  const messages: string[][] = []
  let largestMessageBytes = 0
  let requestsUnderWay = 0
  let brokenOff = 0

  const confirm = async (ids: string[]): Promise<void> => {
    try {
      await database.query('delete from quoin.row_events where id = any($1::bigint[])', [ids])
    } catch {
      // Postgres is away: as with a consumer that dies here, the listener sends them again.
      return
    }
    for (const id of ids) order.forget(id)
  }

  const server = createServer((req, res) => {
    res.on('close', () => {
      if (!res.writableFinished) brokenOff += 1
    })
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', async () => {
      const body = Buffer.concat(parts)
      const signed = { method: req.method ?? '', path: req.url ?? '', body }
      const headers = new Headers(req.headers as Record<string, string>)
      const isSigned = await verifyIngest(fake.secrets, headers, signed, Date.now() / 1_000)
      if (!isSigned) return res.writeHead(401).end()
      const parsed = RowChangesIn.strict().parse(JSON.parse(body.toString()))
      const answer = fake.answer(parsed)
      if (answer === 'hang') return
      requestsUnderWay += 1
      const status = await answer
      requestsUnderWay -= 1
      if (status === 202)
        for (const message of parsed.messages) accept(parsed.registry_version, message.chunks)
      res.writeHead(status).end()
    })
  })

  function accept(version: number, message: Chunk[]): void {
    const atMs = performance.timeOrigin + performance.now()
    registryVersions.add(version)
    largestMessageBytes = Math.max(
      largestMessageBytes,
      Buffer.byteLength(JSON.stringify({ registry_version: version, chunks: message })),
    )
    faults.push(...order.accept(message))
    if (Buffer.byteLength(JSON.stringify({ chunks: message })) > MESSAGE_BYTES_MAX) faults.push('too large')
    for (const chunk of message) {
      chunks.push(chunk)
      chunk.changes?.forEach((change, index) => {
        const n = Number(/"n":(\d+)/.exec(change.row ?? '')?.[1])
        arrived.push({ id: `${chunk.id}.${index}`, tableId: chunk.table_id, key: change.key, n, atMs })
      })
    }
    const ids = message.map(({ id }) => id)
    messages.push(ids)
    if (fake.confirmAfterMs === undefined) return
    setTimeout(() => void confirm(ids), fake.confirmAfterMs)
    if (fake.confirmTwice) setTimeout(() => void confirm(ids), fake.confirmAfterMs + 20)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeIngest = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/row-changes`,
    arrived,
    chunks,
    faults,
    registryVersions,
    messages,
    get requestsUnderWay() {
      return requestsUnderWay
    },
    get brokenOff() {
      return brokenOff
    },
    get largestMessageBytes() {
      return largestMessageBytes
    },
    secrets: [SECRET],
    answer: () => 202,
    confirmAfterMs: 5,
    confirmTwice: false,
    confirmAll: () => confirm(order.unconfirmed),
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await database.end()
    },
  }
  return fake
}
