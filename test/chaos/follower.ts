// A client of realtime in the chaos test: follows a table, drops its socket at random, comes back and resumes, and
// writes down what it got, in the order in which it got it.

import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import * as z from 'zod'
import type { Receipt } from './verdict.ts'

const OPEN_TIMEOUT_MS = 10_000
const HEARTBEAT_MS = 1_000
/** Answers that do not come for so long: nobody is there any more. */
const SILENT_MS = 15_000
const RETRY_MS_MAX = 500

export interface FollowerSettings {
  readonly baseUrl: string
  readonly key: string
  readonly table: string
  /** Among all followers. */
  readonly name: string
  /** By the number that it has seen last, or by its name, as an unmodified client that sends heartbeats. */
  readonly resumes: 'after' | 'client'
  /** How long a socket is kept, and how long the client is away, at most. */
  readonly stayMs: number
  readonly awayMs: number
}

const Image = z.object({ id: z.number(), change: z.number() })
const Data = z.object({
  type: z.enum(['INSERT', 'UPDATE', 'DELETE']),
  number: z.number(),
  record: Image.optional(),
  old_record: Image.optional(),
})

export class Follower {
  readonly settings: FollowerSettings
  /** Without repeats. */
  readonly receipts: Receipt[] = []
  /** What was said of this client in place of changes: it may have missed something, and knows. */
  readonly refetches: string[] = []
  /** Why joins and sockets failed, and how often. */
  readonly failures = new Map<string, number>()
  connections = 0
  repeats = 0
  isJoined = false
  readonly #seen = new Set<number>()
  /** Undefined: it has never been told one. */
  #position: number | undefined
  #isOver = false

  constructor(settings: FollowerSettings) {
    this.settings = settings
  }

  /** Comes and goes until it is ended. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#visit()
        await this.#pause(randomInt(this.settings.awayMs))
      } catch (err) {
        const reason = err instanceof Error ? err.message : String(err)
        this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1)
        await this.#pause(randomInt(RETRY_MS_MAX))
      }
    }
  }

  end(): void {
    this.#isOver = true
  }

  /** From connecting to a socket that is gone. */
  async #visit(): Promise<void> {
    const { baseUrl, key, name, resumes, stayMs } = this.settings
    const url = new URL('/realtime/v1/websocket', baseUrl.replace(/^http/, 'ws'))
    const named = resumes === 'client' ? { client: name } : {}
    url.search = new URLSearchParams({ apikey: key, vsn: '2.0.0', ...named }).toString()
    const ws = new WebSocket(url, { handshakeTimeout: OPEN_TIMEOUT_MS })
    try {
      await new Promise<void>((resolve, reject) => ws.once('open', resolve).once('error', reject))
      let [heardAt, isClosed] = [performance.now(), false]
      // The next one goes out only when this one is answered, as all clients do it: it proves what was received.
      let [beatAt, isAnswered] = [0, true]
      let answer: { status: string; response: { reason?: string } } | undefined
      ws.on('error', () => undefined).on('close', () => {
        isClosed = true
      })
      ws.on('message', (data: Buffer) => {
        heardAt = performance.now()
        const [, ref, , event, payload] = JSON.parse(data.toString())
        if (event === 'phx_reply' && ref === 'join') answer = payload
        else if (event === 'phx_reply') isAnswered = true
        else this.#take(event, payload)
      })
      ws.send(JSON.stringify(['join', 'join', `realtime:${name}`, 'phx_join', this.#joinPayload()]))
      const goesAt = performance.now() + stayMs / 10 + randomInt(stayMs)
      while (!this.#isOver && !isClosed && performance.now() < goesAt) {
        if (answer !== undefined && answer.status !== 'ok') throw new Error(`join: ${answer.response.reason}`)
        if (performance.now() - heardAt > SILENT_MS) throw new Error('silent')
        if (isAnswered && performance.now() > beatAt) {
          isAnswered = false
          ws.send(JSON.stringify([null, String(beatAt), 'phoenix', 'heartbeat', {}]))
          beatAt = performance.now() + HEARTBEAT_MS
        }
        await delay(20)
      }
    } finally {
      this.isJoined = false
      ws.removeAllListeners('message')
      ws.on('error', () => undefined).terminate()
    }
  }

  #joinPayload() {
    const { table, resumes } = this.settings
    const after = resumes === 'after' && this.#position !== undefined ? { after: this.#position } : {}
    return { config: { postgres_changes: [{ event: '*', schema: 'public', table, ...after }] } }
  }

  #take(event: string, payload: { data?: unknown; message?: string; reason?: string; after?: number }): void {
    if (event === 'system' && payload.after !== undefined) this.#subscribe(payload.after)
    if (event === 'system' && payload.message === 'must_refetch') this.refetches.push(payload.reason ?? '')
    if (event !== 'postgres_changes') return
    const { type, number, record, old_record } = Data.parse(payload.data)
    this.#position = Math.max(this.#position ?? 0, number)
    if (this.#seen.has(number)) {
      this.repeats += 1
      return
    }
    this.#seen.add(number)
    const image = record ?? old_record
    if (image === undefined) throw new Error('an event has a row')
    const keys = [...new Set([image.id, old_record?.id ?? image.id])]
    this.receipts.push({ webhookId: String(number), name: `${type} ${image.change}`, keys })
  }

  /** From here on rows come; before the first of them the place is that of the join. */
  #subscribe(after: number): void {
    this.#position ??= after
    this.isJoined = true
    this.connections += 1
  }

  async #pause(milliseconds: number): Promise<void> {
    const endsAt = performance.now() + milliseconds
    while (!this.#isOver && performance.now() < endsAt) await delay(10)
  }
}
