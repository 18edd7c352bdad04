// How many messages each caller has sent within the present second.

export class MessageRates {
  readonly #perSecond: number
  readonly #nowMs: () => number
  #second = 0
  readonly #counts = new Map<string, number>()
  /** Since the object woke up. */
  total = 0

  constructor(perSecond: number, nowMs: () => number) {
    this.#perSecond = perSecond
    this.#nowMs = nowMs
  }

  /** Counts them; false, and nothing is counted: the caller has sent too many. */
  take(caller: string, messages = 1): boolean {
    const second = Math.floor(this.#nowMs() / 1_000)
    if (second !== this.#second) this.#counts.clear()
    this.#second = second
    const count = (this.#counts.get(caller) ?? 0) + messages
    if (count > this.#perSecond) return false
    this.#counts.set(caller, count)
    this.total += messages
    return true
  }
}
