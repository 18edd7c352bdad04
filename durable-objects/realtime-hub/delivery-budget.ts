// How many frames a project may send in a second: broadcasts beyond it are refused, row changes wait.

export class DeliveryBudget {
  readonly #perSecond: number
  readonly #nowMs: () => number
  readonly #pause: (milliseconds: number) => Promise<void>
  #second = 0
  #left: number

  constructor(perSecond: number, nowMs: () => number, pause: (milliseconds: number) => Promise<void>) {
    this.#perSecond = perSecond
    this.#nowMs = nowMs
    this.#pause = pause
    this.#left = perSecond
  }

  /** False: this second has not so many left. More than a second has at all are taken where it is untouched. */
  take(frames: number): boolean {
    this.#renew()
    if (this.#left < frames && this.#left < this.#perSecond) return false
    this.#left -= frames
    return true
  }

  /** Takes them as soon as they are there. */
  async wait(frames: number): Promise<void> {
    while (!this.take(frames)) await this.#pause(1_000 - (this.#nowMs() % 1_000))
  }

  #renew(): void {
    const second = Math.floor(this.#nowMs() / 1_000)
    if (second === this.#second) return
    this.#left = this.#perSecond
    this.#second = second
  }
}
