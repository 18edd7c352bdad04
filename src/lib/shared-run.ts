// A value that is dear to make: one caller at a time makes it, and all have it for a short while. One isolate's memory.
// Who waits looks again and again, and holds no promise of another's: in workerd a request that is cancelled takes its
// promises with it.

const LOOKS_EVERY_MS = 20

export interface SharedRunSettings {
  /** How long a value is shared, from its end on. */
  freshMs: number
  /** After so long a run is taken for lost, with the request that made it. */
  runMsMax: number
  now: () => Date
}

export class SharedRun<Value> {
  readonly #settings: SharedRunSettings
  #kept: { value: Value; untilMs: number } | undefined
  #running: { lostMs: number } | undefined

  constructor(settings: SharedRunSettings) {
    this.#settings = settings
  }

  /** The value that is kept, or is just being made, or else that of `make`. Throws what `make` throws. */
  async get(make: () => Promise<Value>): Promise<Value> {
    const { freshMs, runMsMax, now } = this.#settings
    for (;;) {
      const nowMs = now().getTime()
      if (this.#kept !== undefined && nowMs < this.#kept.untilMs) return this.#kept.value
      if (this.#running === undefined || nowMs >= this.#running.lostMs) break
      await new Promise(resolve => setTimeout(resolve, LOOKS_EVERY_MS))
    }
    const own = { lostMs: now().getTime() + runMsMax }
    this.#running = own
    try {
      const value = await make()
      this.#kept = { value, untilMs: now().getTime() + freshMs }
      return value
    } finally {
      if (this.#running === own) this.#running = undefined
    }
  }
}
