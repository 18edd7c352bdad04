/**
 * Owns who waits for a connection, and who is next: callers take turns, and each caller's batches go in their order.
 * Must not know connections.
 */
import { type Caller, Shares } from './shares.ts'

/** A place in the line. */
export interface InLine {
  /** Undefined: nobody is named, and the place counts in no share. */
  readonly caller: Caller | undefined
}

export class WaitingLine<Waiter extends InLine> {
  readonly #sizeMax: number
  readonly #shares: Shares
  /** By the caller's name; the caller whose turn is next comes first. */
  readonly #byCaller = new Map<string, Set<Waiter>>()
  #size = 0

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
    this.#shares = new Shares(sizeMax)
  }

  get size(): number {
    return this.#size
  }

  /** Adds a waiter at the end; says why not when there is no place: for nobody, or for this caller. */
  join(waiter: Waiter): 'joined' | 'full' | 'full_for_caller' {
    const { caller } = waiter
    if (this.#size >= this.#sizeMax) return 'full'
    if (!this.#shares.allows(caller)) return 'full_for_caller'
    const name = caller?.name ?? ''
    const waiters = this.#byCaller.get(name)
    if (waiters === undefined) this.#byCaller.set(name, new Set([waiter]))
    else waiters.add(waiter)
    this.#shares.take(caller)
    this.#size++
    return 'joined'
  }

  /** Takes a waiter out, wherever it stands. */
  leave(waiter: Waiter): void {
    const name = waiter.caller?.name ?? ''
    const waiters = this.#byCaller.get(name)
    if (!waiters?.delete(waiter)) return
    if (waiters.size === 0) this.#byCaller.delete(name)
    this.#shares.giveBack(waiter.caller)
    this.#size--
  }

  /** Takes out the next waiter whose caller `mayGo`; that caller's next turn comes behind all others'. */
  next(mayGo: (caller: Caller | undefined) => boolean): Waiter | undefined {
    for (const [name, waiters] of this.#byCaller) {
      const [waiter] = waiters
      if (waiter === undefined || !mayGo(waiter.caller)) continue
      this.leave(waiter)
      if (this.#byCaller.delete(name)) this.#byCaller.set(name, waiters)
      return waiter
    }
    return undefined
  }
}
