// The consumer of the queue `row-changes`: hands each subscriber what has changed, then confirms the chunks. A chunk is
// deleted from the outbox only when whoever wants it has answered; whatever fails before that is done again, and stored
// once. No subscriber waits for what another one fails at.

import type { PlatformDatabase } from '../../../db/database.ts'
import { deadline } from '../../../lib/deadline.ts'
import type { Chunk, RowChangesMessage } from '../ingest/messages.ts'
import { changesOf, runsOf } from './chunk-changes.ts'
import { confirmChunks, listWithoutImages, UnreadableRows } from './outbox.ts'
import type { Recipient, RowChange, RowChangeSubscriber } from './subscriber.ts'

export interface ConsumeDeps {
  platform: PlatformDatabase
  rowChangeSubscribers: readonly RowChangeSubscriber[]
}

/** A message of the queue, as far as it is used. */
export interface QueuedMessage {
  readonly body: unknown
  /** Deliveries of this message, this one included. */
  readonly attempts: number
  ack(): void
  retry(options: { delaySeconds: number }): void
}

/** A batch waits no longer for who may give up. */
const GIVE_UP_MS = 10_000
const RETRY_DELAY_SECONDS_MAX = 30
const IDS_LOGGED_MAX = 20

/** A message with what became of it. */
interface OpenMessage {
  message: QueuedMessage
  chunks: Chunk[]
  /** Of the registry that whoever wrote the message saw. */
  registryVersion: number
  /** Of a subscriber, null the message itself. */
  failures: Map<RowChangeSubscriber | null, unknown>
}

/** What one recipient gets, and which messages fail when it does not take it. */
interface Share {
  subscriber: RowChangeSubscriber
  recipient: Recipient
  changes: RowChange[]
  messages: Set<OpenMessage>
}

/** Handles a batch: each message is acknowledged or retried by itself. Never throws. */
export async function consumeRowChanges(
  deps: ConsumeDeps,
  messages: readonly QueuedMessage[],
): Promise<void> {
  const opened = messages.map(openMessage)
  try {
    await Promise.all(deps.rowChangeSubscribers.map(subscriber => handOver(deps, subscriber, opened)))
    const done = opened.filter(({ failures }) => failures.size === 0)
    const ids = done.flatMap(({ chunks }) => chunks.map(chunk => chunk.id))
    if (ids.length > 0) await confirmChunks(deps.platform, ids)
  } catch (err) {
    for (const { failures } of opened) failures.set(null, err)
  }
  for (const one of opened) acknowledge(one)
}

function openMessage(message: QueuedMessage): OpenMessage {
  const failures = new Map<RowChangeSubscriber | null, unknown>()
  try {
    // Checked when it was put there (`RowChangesIn`).
    const { chunks, registry_version } = JSON.parse(String(message.body)) as RowChangesMessage
    return { message, chunks, registryVersion: registry_version, failures }
  } catch (err) {
    failures.set(null, err)
    return { message, chunks: [], registryVersion: 0, failures }
  }
}

async function handOver(
  deps: ConsumeDeps,
  subscriber: RowChangeSubscriber,
  opened: readonly OpenMessage[],
): Promise<void> {
  const wait = { isOver: false }
  const work = handOverAll(deps, subscriber, opened, wait)
  if (!subscriber.mayGiveUp) return await work
  try {
    await deadline(GIVE_UP_MS, work)
  } catch (err) {
    wait.isOver = true
    logGivenUp(subscriber, err, opened)
  }
}

/** Nothing of a message follows what could not be handed over: later changes of its keys may be among it. */
async function handOverAll(
  deps: ConsumeDeps,
  subscriber: RowChangeSubscriber,
  opened: readonly OpenMessage[],
  wait: { readonly isOver: boolean },
): Promise<void> {
  const shares = new Map<string, Share>()
  for (const one of opened) {
    for (const chunk of one.chunks) {
      if (one.failures.has(subscriber) || wait.isOver) break
      try {
        await handOverChunk(deps, subscriber, shares, one, chunk)
      } catch (err) {
        one.failures.set(subscriber, err)
      }
    }
  }
  await handOverShares(shares)
}

/**
 * A chunk that is at hand is gathered, so that a recipient gets its share in one call. In front of one that is not,
 * what was gathered goes first: earlier changes of its keys may be among it. Throws where the outbox cannot be read.
 */
async function handOverChunk(
  { platform }: ConsumeDeps,
  subscriber: RowChangeSubscriber,
  shares: Map<string, Share>,
  one: OpenMessage,
  chunk: Chunk,
): Promise<void> {
  const recipients = await orGivenUp(subscriber, [one], () =>
    subscriber.recipientsOf(chunk, one.registryVersion),
  )
  if (recipients === undefined || recipients.length === 0) return
  if (chunk.changes !== null) {
    const changes = changesOf(chunk, chunk.changes)
    for (const recipient of recipients) addTo(shares, subscriber, recipient, one, changes)
    return
  }
  await handOverShares(shares)
  if (one.failures.has(subscriber)) return
  const store = async (changes: RowChange[]) => {
    const messages = new Set([one])
    await Promise.all(
      recipients.map(recipient => handOverShare({ subscriber, recipient, changes, messages })),
    )
  }
  try {
    for await (const changes of runsOf(platform, chunk)) await store(changes)
  } catch (err) {
    if (!(err instanceof UnreadableRows)) throw err
    // What Postgres cannot read now it never could. Those that are stored by now are so once.
    await store(changesOf(chunk, await listWithoutImages(platform, chunk.id, err.message)))
  }
}

function addTo(
  shares: Map<string, Share>,
  subscriber: RowChangeSubscriber,
  recipient: Recipient,
  one: OpenMessage,
  changes: readonly RowChange[],
): void {
  const share = shares.get(recipient.id) ?? { subscriber, recipient, changes: [], messages: new Set() }
  share.recipient = recipient
  share.changes.push(...changes)
  share.messages.add(one)
  shares.set(recipient.id, share)
}

/** One call each: all that a batch of messages can hold is far below what a call takes (32 MiB). */
async function handOverShares(shares: Map<string, Share>): Promise<void> {
  await Promise.all([...shares.values()].map(handOverShare))
  shares.clear()
}

/** Throws `UnreadableRows` alone; what fails else is these messages' failure, and the others of the batch go on. */
async function handOverShare({ subscriber, recipient, changes, messages }: Share): Promise<void> {
  const outcome = await orGivenUp(subscriber, messages, () => recipient.store(changes))
  if (outcome === 'gave_up') logGivenUp(subscriber, 'as it says', messages)
}

/** Where the subscriber may give up, a failure of its own means that it has: then nothing fails. */
async function orGivenUp<T>(
  subscriber: RowChangeSubscriber,
  messages: Iterable<OpenMessage>,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run()
  } catch (err) {
    if (err instanceof UnreadableRows) throw err
    if (subscriber.mayGiveUp) logGivenUp(subscriber, err, messages)
    else for (const { failures } of messages) failures.set(subscriber, err)
    return undefined
  }
}

function acknowledge({ message, failures }: OpenMessage): void {
  if (failures.size === 0) {
    message.ack()
    return
  }
  log('tried again', { cause: [...failures.values()].map(String).join('; ') })
  message.retry({ delaySeconds: Math.min(RETRY_DELAY_SECONDS_MAX, 2 ** (message.attempts - 1)) })
}

function logGivenUp({ name }: RowChangeSubscriber, err: unknown, messages: Iterable<OpenMessage>): void {
  const ids = [...messages].flatMap(({ chunks }) => chunks.map(({ id }) => id))
  log('gave up', { subscriber: name, cause: String(err), chunk_ids: ids.slice(0, IDS_LOGGED_MAX) })
}

function log(message: string, more: object): void {
  console.warn(JSON.stringify({ level: 'warn', component: 'row-changes', message, ...more }))
}
