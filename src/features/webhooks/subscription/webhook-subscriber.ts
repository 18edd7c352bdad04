// Webhooks as a subscriber of row changes: each webhook's object keeps its events for good. It never gives up, so a
// change stays in the outbox until every webhook that wants it has it.

import type { PlatformDatabase } from '../../../db/database.ts'
import { deadline } from '../../../lib/deadline.ts'
import type { Recipient, RowChange, RowChangeSubscriber } from '../../row-changes/consume/subscriber.ts'
import type { VersionedRegistry } from '../../row-changes/consume/versioned-registry.ts'
import type { FanoutEvent, WebhookFanout, WebhookFanouts } from '../delivery/fanout-contract.ts'
import { eventOf } from './change-event.ts'
import { followRenames, watchTablesMadeAgain } from './follow-tables.ts'
import { storeLarge } from './large-event.ts'
import { matching, type RegisteredWebhook, type Registry } from './webhook-registry.ts'

export interface WebhookSubscriberDeps {
  platform: Pick<PlatformDatabase, 'query' | 'transaction'>
  fanouts: WebhookFanouts
  /** One for an isolate: it remembers. */
  registry: Pick<VersionedRegistry<Registry>, 'atLeast'>
}

/** A webhook's object that does not answer must not hold the consumer for good. */
const STORE_TIMEOUT_MS = 10_000

/** Throws, where a webhook's object does not take an event, so that it comes again. */
export function webhookSubscriber({
  platform,
  fanouts,
  registry,
}: WebhookSubscriberDeps): RowChangeSubscriber {
  // The body of an event is made once, whoever gets it.
  const events = new WeakMap<RowChange, FanoutEvent>()
  const eventOnce = (change: RowChange) => {
    const event = events.get(change) ?? eventOf(change)
    events.set(change, event)
    return event
  }

  const recipientOf = (webhooks: readonly RegisteredWebhook[]): Recipient => {
    const tellAll = async (tell: (fanout: WebhookFanout, version: number) => Promise<unknown>) => {
      await Promise.all(
        webhooks.map(({ id, version }) => deadline(STORE_TIMEOUT_MS, tell(fanouts.byId(id), version))),
      )
    }
    return {
      id: webhooks.map(({ id }) => id).join(),
      store: async changes => {
        const stored: FanoutEvent[] = []
        for (const change of changes) {
          const event = change.large
            ? await storeLarge(change, change.large, piece =>
                tellAll((fanout, version) => fanout.storePiece(version, piece)),
              )
            : eventOnce(change)
          stored.push(event)
        }
        await tellAll((fanout, version) => fanout.store({ version, events: stored }))
        return 'stored'
      },
    }
  }

  return {
    name: 'webhooks',
    gaveUp: null,
    recipientsOf: async (chunk, registryVersion) => {
      const { version, webhooks } = await registry.atLeast(registryVersion)
      if (version < registryVersion)
        throw new Error(`the webhook registry is older than version ${registryVersion}`)
      const wanting = matching(webhooks, chunk)
      // What has to be read goes to all of them together, so that it is read once.
      if (chunk.changes === null && wanting.length > 0) return [recipientOf(wanting)]
      return wanting.map(webhook => recipientOf([webhook]))
    },
    followTables: async () => {
      await followRenames({ platform })
      return await watchTablesMadeAgain({ platform })
    },
  }
}
