// Turns: whoever works long lets other requests have the isolate in between. The platform's clock stands still while
// code runs, so work is counted and not timed. A unit is about what reading or building a byte takes: ten nanoseconds.

/** Some milliseconds: the piece of work that ends a turn may be larger, and all together is to stay below twenty. */
export const WORK_PER_TURN = 256 * 1024

/** The work of one request. */
export class Turns {
  #sinceTurn = 0
  #all = 0

  /** Units that were spent so far. */
  get all(): number {
    return this.#all
  }

  /**
   * Counts work that is about to be done. Await the answer: where enough was done since the last turn, others get
   * theirs first. It is undefined where nothing has to be waited for.
   */
  spend(work: number): Promise<void> | undefined {
    this.#all += work
    this.#sinceTurn += work
    if (this.#sinceTurn < WORK_PER_TURN) return undefined
    this.#sinceTurn = work
    return othersTurn()
  }
}

/** A promise that is kept already, or a microtask, would let nobody else in: the event loop must come round. */
function othersTurn(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 0))
}
