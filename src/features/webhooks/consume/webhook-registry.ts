// All webhooks, paused ones too, as an isolate knows them: read again when a message was written by somebody who saw a
// newer registry. So no change misses a webhook that was there when it was made.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { Chunk, RowEvent } from '../ingest/messages.ts'

/** What is needed to match a change to a webhook. */
export interface RegisteredWebhook {
  id: string
  table_id: number
  table_schema: string
  table_name: string
  events: RowEvent[]
  version: number
}

interface Registry {
  version: number
  webhooks: RegisteredWebhook[]
}

// One statement, so that version and rows are of one moment.
const SQL = `select version, (
    select coalesce(json_agg(w), '[]') from (
      select id, table_id::bigint as table_id, table_schema, table_name, events, version from quoin.webhooks) w) as webhooks
  from quoin.webhook_registry`

export class WebhookRegistry {
  readonly #platform: PlatformDatabase
  #known: Registry | undefined
  #reading: Promise<Registry> | undefined

  constructor(platform: PlatformDatabase) {
    this.#platform = platform
  }

  /** The webhooks of at least this version of the registry. Throws when the database does not answer or is older. */
  async at(version: number): Promise<readonly RegisteredWebhook[]> {
    if (this.#known !== undefined && this.#known.version >= version) return this.#known.webhooks
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    const registry = await this.#reading
    // A reading that began before the change is no answer; nor is a database that was restored to before it.
    if (registry.version < version) throw new Error(`the webhook registry is older than version ${version}`)
    return registry.webhooks
  }

  async #read(): Promise<Registry> {
    const [registry] = await this.#platform.query<Registry>(SQL)
    if (registry === undefined) throw new Error('quoin.webhook_registry is empty')
    this.#known = registry
    return registry
  }
}

/** The webhooks that a chunk is for: by the table itself, or by its names where it was dropped and made again. */
export function matching(webhooks: readonly RegisteredWebhook[], chunk: Chunk): RegisteredWebhook[] {
  return webhooks.filter(
    webhook =>
      webhook.events.includes(chunk.event) &&
      (webhook.table_id === chunk.table_id ||
        (webhook.table_schema === chunk.table_schema && webhook.table_name === chunk.table_name)),
  )
}
