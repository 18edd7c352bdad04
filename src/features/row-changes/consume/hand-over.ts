// One subscriber's part of a batch of messages: what it wants, in order, and what becomes of a message where it fails.

import type { PlatformDatabase } from '../../../db/database.ts'
import { deadline } from '../../../lib/deadline.ts'
import type { Chunk } from '../ingest/messages.ts'
import { changesOf, runsOf } from './chunk-changes.ts'
import { listWithoutImages, UnreadableRows } from './outbox.ts'
import type { Recipient, RowChange, RowChangeSubscriber } from './subscriber.ts'

type Texts = Pick<PlatformDatabase, 'texts'>

/** A message as far as it is handed over. */
export interface OpenMessage {
  readonly chunks: readonly Chunk[]
  /** Of the registry that whoever wrote the message saw. */
  readonly registryVersion: number
  /** By subscriber; null: of the message itself. */
  readonly failures: Map<RowChangeSubscriber | null, unknown>
}

/** What one recipient gets, and which messages fail when it does not take it. */
interface Share {
  recipient: Recipient
  changes: RowChange[]
  messages: Set<OpenMessage>
}

/** A batch waits no longer for who may give up. */
const GIVE_UP_MS = 10_000
const IDS_LOGGED_MAX = 20

/**
 * Hands the subscriber what it wants of these messages. A failure is noted in the messages; of one that may give up
 * nothing fails but reading the outbox.
 */
export async function handOver(
  platform: Texts,
  subscriber: RowChangeSubscriber,
  opened: readonly OpenMessage[],
): Promise<void> {
  const handing = new HandingOver(platform, subscriber)
  if (subscriber.gaveUp === null) return await handing.all(opened)
  try {
    await deadline(GIVE_UP_MS, handing.all(opened))
  } catch (err) {
    handing.cutOff(opened, err)
  }
  await handing.tellGivenUp(subscriber.gaveUp)
}

class HandingOver {
  readonly #platform: Texts
  readonly #subscriber: RowChangeSubscriber
  readonly #shares = new Map<string, Share>()
  readonly #givenUp = new Map<OpenMessage, unknown>()
  #isCutOff = false

  constructor(platform: Texts, subscriber: RowChangeSubscriber) {
    this.#platform = platform
    this.#subscriber = subscriber
  }

  /** Nothing of a message follows what could not be handed over: later changes of its keys may be among it. */
  async all(opened: readonly OpenMessage[]): Promise<void> {
    for (const one of opened) {
      for (const chunk of one.chunks) {
        if (this.#isOver(one)) break
        try {
          await this.#chunk(one, chunk)
        } catch (err) {
          one.failures.set(this.#subscriber, err)
        }
      }
    }
    await this.#gathered()
  }

  /** Nothing more is handed over, whatever is under way. */
  cutOff(opened: readonly OpenMessage[], err: unknown): void {
    this.#isCutOff = true
    for (const one of opened) this.#givenUp.set(one, err)
  }

  async tellGivenUp(gaveUp: (chunks: readonly Chunk[]) => Promise<void>): Promise<void> {
    if (this.#givenUp.size === 0) return
    const chunks = [...this.#givenUp.keys()].flatMap(one => one.chunks)
    const cause = [...new Set([...this.#givenUp.values()].map(String))].join('; ')
    this.#warn('gave up', { cause, chunk_ids: chunks.slice(0, IDS_LOGGED_MAX).map(({ id }) => id) })
    try {
      await deadline(GIVE_UP_MS, gaveUp(chunks))
    } catch (err) {
      this.#warn('gave up, and does not know it', { cause: String(err) })
    }
  }

  #isOver({ failures }: OpenMessage): boolean {
    return this.#isCutOff || failures.has(this.#subscriber)
  }

  /**
   * A chunk that is at hand is gathered, so that a recipient gets its share in one call. In front of one that is not,
   * what was gathered goes first: earlier changes of its keys may be among it. Throws where the outbox cannot be read.
   */
  async #chunk(one: OpenMessage, chunk: Chunk): Promise<void> {
    const recipients = await this.#orFailure([one], () =>
      this.#subscriber.recipientsOf(chunk, one.registryVersion),
    )
    if (recipients === undefined || recipients.length === 0) return
    if (chunk.changes !== null) {
      this.#gather(recipients, one, changesOf(chunk, chunk.changes))
      return
    }
    await this.#gathered()
    if (this.#isOver(one)) return
    const messages = new Set([one])
    const store = async (changes: RowChange[]) => {
      const stored = await Promise.allSettled(
        recipients.map(recipient => this.#store({ recipient, changes, messages })),
      )
      for (const one of stored) if (one.status === 'rejected') throw one.reason
    }
    try {
      for await (const changes of runsOf(this.#platform, chunk)) {
        if (this.#isOver(one)) return
        await store(changes)
      }
    } catch (err) {
      if (!(err instanceof UnreadableRows)) throw err
      if (this.#isOver(one)) return
      // What Postgres cannot read now it never could. Those that are stored by now are so once.
      await store(changesOf(chunk, await listWithoutImages(this.#platform, chunk.id, err.message)))
    }
  }

  #gather(recipients: readonly Recipient[], one: OpenMessage, changes: readonly RowChange[]): void {
    for (const recipient of recipients) {
      const share = this.#shares.get(recipient.id) ?? { recipient, changes: [], messages: new Set() }
      share.recipient = recipient
      share.changes.push(...changes)
      share.messages.add(one)
      this.#shares.set(recipient.id, share)
    }
  }

  /** One call each: all that a batch of messages can hold is far below what a call takes (32 MiB). */
  async #gathered(): Promise<void> {
    const shares = [...this.#shares.values()]
    this.#shares.clear()
    await Promise.all(shares.map(share => this.#store(share)))
  }

  /** Throws `UnreadableRows` alone; what fails else is these messages' failure, and the others of the batch go on. */
  async #store({ recipient, changes, messages }: Share): Promise<void> {
    if (this.#isCutOff) return
    const outcome = await this.#orFailure(messages, () => recipient.store(changes))
    if (outcome !== 'gave_up') return
    for (const one of messages) this.#givenUp.set(one, 'it says so')
  }

  async #orFailure<T>(messages: Iterable<OpenMessage>, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run()
    } catch (err) {
      if (err instanceof UnreadableRows) throw err
      for (const one of messages) {
        if (this.#subscriber.gaveUp === null) one.failures.set(this.#subscriber, err)
        else this.#givenUp.set(one, err)
      }
      return undefined
    }
  }

  #warn(message: string, more: object): void {
    const { name: subscriber } = this.#subscriber
    console.warn(JSON.stringify({ level: 'warn', component: 'row-changes', message, subscriber, ...more }))
  }
}
