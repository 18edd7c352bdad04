// The consumer of the queue `row-changes`: hands each webhook its share of what has changed, then confirms the
// chunks. A chunk is deleted from the outbox only when every webhook that wants it has answered that it is stored;
// whatever fails before that is done again, and stored once.

import type { PlatformDatabase } from '../../../db/database.ts'
import { deadline } from '../../../lib/deadline.ts'
import type { FanoutEvent, PayloadPiece, WebhookFanouts } from '../../webhooks/delivery/fanout-contract.ts'
import type { Chunk, RowChangesMessage } from '../ingest/messages.ts'
import { isAtHand, partsOf } from './chunk-parts.ts'
import { confirmChunks } from './outbox.ts'
import { matching, type RegisteredWebhook, type WebhookRegistry } from './webhook-registry.ts'

export interface ConsumeDeps {
  platform: PlatformDatabase
  webhookRegistry: WebhookRegistry
  fanouts: WebhookFanouts
}

/** A message of the queue, as far as it is used. */
export interface QueuedMessage {
  readonly body: unknown
  /** Deliveries of this message, this one included. */
  readonly attempts: number
  ack(): void
  retry(options: { delaySeconds: number }): void
}

/** A webhook's object that does not answer must not hold the consumer for good. */
const STORE_TIMEOUT_MS = 30_000
const RETRY_DELAY_SECONDS_MAX = 30

/** What one webhook gets, and which messages fail when it does not take it. */
interface Share {
  webhook: RegisteredWebhook
  events: FanoutEvent[]
  work: Set<Work>
}

interface Work {
  message: QueuedMessage
  chunks: Chunk[]
  /** Of the registry that whoever wrote the message saw. */
  registryVersion: number
  failure: unknown
}

/** Handles a batch: each message is acknowledged or retried by itself. Never throws. */
export async function consumeRowChanges(
  deps: ConsumeDeps,
  messages: readonly QueuedMessage[],
): Promise<void> {
  const works = messages.map(
    (message): Work => ({ message, chunks: [], registryVersion: 0, failure: undefined }),
  )
  try {
    const webhooks = await readMessages(deps, works)
    await handOverAll(deps, works, webhooks)
    const done = works.filter(work => work.failure === undefined)
    const ids = done.flatMap(work => work.chunks.map(chunk => chunk.id))
    if (ids.length > 0) await confirmChunks(deps.platform, ids)
  } catch (err) {
    for (const work of works) work.failure ??= err
  }
  for (const work of works) settle(work)
}

async function readMessages(deps: ConsumeDeps, works: Work[]): Promise<readonly RegisteredWebhook[]> {
  for (const work of works) {
    await guarded(work, () => {
      // Checked when it was put there (`RowChangesIn`).
      const message = JSON.parse(String(work.message.body)) as RowChangesMessage
      work.chunks = message.chunks
      work.registryVersion = message.registry_version
    })
  }
  const wanted = Math.max(...works.map(({ registryVersion }) => registryVersion))
  const { version, webhooks } = await deps.webhookRegistry.atLeast(wanted)
  for (const work of works) {
    if (work.registryVersion > version)
      work.failure ??= new Error(`the webhook registry is older than version ${work.registryVersion}`)
  }
  return webhooks
}

/** Nothing of a message follows what could not be handed over: later changes of its keys may be among it. */
async function handOverAll(
  deps: ConsumeDeps,
  works: readonly Work[],
  webhooks: readonly RegisteredWebhook[],
): Promise<void> {
  const shares = new Map<string, Share>()
  for (const work of works) {
    for (const chunk of work.chunks) {
      if (work.failure !== undefined) break
      const wanting = matching(webhooks, chunk)
      if (wanting.length > 0) await guarded(work, () => handOverChunk(deps, shares, work, chunk, wanting))
    }
  }
  await handOverShares(deps, shares)
}

/**
 * A chunk that is at hand is gathered, so that a webhook gets its share in one call. In front of one that is not, what
 * was gathered goes first: earlier changes of its keys may be among it.
 */
async function handOverChunk(
  deps: ConsumeDeps,
  shares: Map<string, Share>,
  work: Work,
  chunk: Chunk,
  wanting: readonly RegisteredWebhook[],
): Promise<void> {
  if (!isAtHand(chunk)) await handOverShares(deps, shares)
  if (work.failure !== undefined) return
  const storePiece = async (piece: PayloadPiece) => {
    await Promise.all(
      wanting.map(({ id, version }) =>
        deadline(STORE_TIMEOUT_MS, deps.fanouts.byId(id).storePiece(version, piece)),
      ),
    )
  }
  for await (const events of partsOf(deps.platform, chunk, storePiece)) {
    if (isAtHand(chunk)) addTo(shares, work, wanting, events)
    else await Promise.all(wanting.map(webhook => store(deps, webhook, events)))
  }
}

async function handOverShares(deps: ConsumeDeps, shares: Map<string, Share>): Promise<void> {
  await Promise.all([...shares.values()].map(share => handOver(deps, share)))
  shares.clear()
}

function addTo(
  shares: Map<string, Share>,
  work: Work,
  wanting: readonly RegisteredWebhook[],
  events: readonly FanoutEvent[],
): void {
  for (const webhook of wanting) {
    const share = shares.get(webhook.id) ?? { webhook, events: [], work: new Set() }
    share.events.push(...events)
    share.work.add(work)
    shares.set(webhook.id, share)
  }
}

/** One call: all that a batch of messages can hold is far below what a call takes (32 MiB). */
async function handOver(deps: ConsumeDeps, { webhook, events, work }: Share): Promise<void> {
  try {
    await store(deps, webhook, events)
  } catch (err) {
    for (const one of work) one.failure ??= err
  }
}

async function store(
  { fanouts }: ConsumeDeps,
  { id, version }: RegisteredWebhook,
  events: FanoutEvent[],
): Promise<void> {
  await deadline(STORE_TIMEOUT_MS, fanouts.byId(id).store({ version, events }))
}

/** What fails here is this message's own failure: the others of its batch go on. */
async function guarded(work: Work, run: () => void | Promise<void>): Promise<void> {
  try {
    await run()
  } catch (err) {
    work.failure ??= err
  }
}

function settle({ message, failure }: Work): void {
  if (failure === undefined) {
    message.ack()
    return
  }
  const cause = String(failure)
  console.warn(JSON.stringify({ level: 'warn', component: 'row-changes', message: 'tried again', cause }))
  message.retry({ delaySeconds: Math.min(RETRY_DELAY_SECONDS_MAX, 2 ** (message.attempts - 1)) })
}
