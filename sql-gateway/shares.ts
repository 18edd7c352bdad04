/**
 * Owns dividing something that there is little of (connections, places in a line, bytes) among callers, so that none
 * starves the others: one caller holds at most a third of it, all callers with one key at most three quarters. Pure.
 */

/** Whose batch it is, as the Worker names it; work that nobody is named for is shared with nobody. */
export interface Caller {
  readonly key: string
  /** The key and the client's address. */
  readonly name: string
}

/** What one caller, and one key, may hold of `total`. */
export function partsOf(total: number): { caller: number; key: number } {
  return { caller: Math.max(1, Math.floor(total / 3)), key: Math.max(1, Math.floor((total * 3) / 4)) }
}

export class Shares {
  readonly #parts: { caller: number; key: number }
  readonly #byCaller = new Map<string, number>()
  readonly #byKey = new Map<string, number>()

  constructor(total: number) {
    this.#parts = partsOf(total)
  }

  /** True while the caller may hold this much more. */
  allows(caller: Caller | undefined, amount = 1): boolean {
    if (caller === undefined) return true
    return (
      (this.#byCaller.get(caller.name) ?? 0) + amount <= this.#parts.caller &&
      (this.#byKey.get(caller.key) ?? 0) + amount <= this.#parts.key
    )
  }

  take(caller: Caller | undefined, amount = 1): void {
    if (caller === undefined) return
    add(this.#byCaller, caller.name, amount)
    add(this.#byKey, caller.key, amount)
  }

  giveBack(caller: Caller | undefined, amount = 1): void {
    this.take(caller, -amount)
  }
}

/** Names that hold nothing are forgotten: there may be any number of addresses. */
function add(held: Map<string, number>, name: string, amount: number): void {
  const sum = (held.get(name) ?? 0) + amount
  if (sum === 0) held.delete(name)
  else held.set(name, sum)
}
