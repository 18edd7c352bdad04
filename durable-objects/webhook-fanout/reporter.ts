// When a WebhookFanout tells Postgres what it has to tell: what its storage holds for it, and the webhook's health.
// Some time behind the deliveries, and again later when Postgres does not take it.

import type { PlatformDatabase } from '../../src/db/database.ts'
import { type FanoutState, healthOf } from '../../src/features/webhooks/delivery/fanout-state.ts'
import {
  findWebhookRow,
  pauseForReceiver,
  type WebhookRow,
  writeHealth,
} from '../../src/features/webhooks/delivery/webhook-row.ts'
import type { OpenFanout } from './delivery-lanes.ts'
import { logFailure } from './failure.ts'
import { flushReports } from './reports.ts'

/** How long reports gather before they are written together. */
const GATHER_MS = 200
/** Pause after Postgres has not taken them. */
const RETRY_MS = 10_000

export interface ReportHost {
  /** Undefined: the webhook is deleted, or not known yet. */
  open(): OpenFanout | undefined
  accept(row: WebhookRow): void
  setState(state: FanoutState): void
  /** Everything is written, or has to wait: another time may be the next at which something is due. */
  written(): void
  /** Keeps the object awake until then. */
  keep(work: Promise<void>): void
}

export class FanoutReporter {
  readonly #platform: PlatformDatabase
  readonly #host: ReportHost
  #writing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #againAtMs = 0

  constructor(platform: PlatformDatabase, host: ReportHost) {
    this.#platform = platform
    this.#host = host
  }

  /** Not before then: Postgres has not taken the last ones. */
  get againAtMs(): number {
    return this.#againAtMs
  }

  writeSoon(): void {
    if (Date.now() < this.#againAtMs) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#host.keep(this.write())
    }, GATHER_MS)
  }

  /** Writes what there is at the call. Never throws: what Postgres does not take is kept, and the alarm tries again. */
  async write(): Promise<void> {
    // What is being written was there before.
    await this.#writing
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      this.#host.written()
    })
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    const opened = this.#host.open()
    if (opened === undefined) return
    try {
      await flushReports(this.#platform, opened.storage)
      await this.#writePause()
      await this.#writeHealth()
      this.#againAtMs = 0
    } catch (err) {
      this.#againAtMs = Date.now() + RETRY_MS
      logFailure('reports could not be written', err)
    }
  }

  async #writePause(): Promise<void> {
    const { state, storage } = this.#host.open() ?? {}
    if (!state?.owesPause) return
    const { id, version } = state.webhook
    const row =
      (await pauseForReceiver(this.#platform, id, version)) ?? (await findWebhookRow(this.#platform, id))
    // Deleted meanwhile: a row that was read before is nobody's any more.
    if (row !== undefined && this.#host.open()?.storage === storage) this.#host.accept(row)
  }

  async #writeHealth(): Promise<void> {
    const state = this.#host.open()?.state
    if (!state?.owesHealth) return
    await writeHealth(this.#platform, state.webhook.id, state.failCount, healthOf(state))
    // Changed again while it was written: then the next time writes it again.
    if (this.#host.open()?.state === state) this.#host.setState({ ...state, owesHealth: false })
  }
}
