/**
 * Owns which staging tables are not tried for a while, because their rows could not be moved. Each try may write much and take it back, and
 * the table is looked at again whenever anybody commits anything. Pure: told what could not be moved and what time it is.
 */

/** After what will be over: a lock, a lack of room. */
export const HINDERED_RETRY_MS = 1_000
/** After what somebody has to mend: a broken page. */
export const BROKEN_RETRY_MS = 30_000

/** Classes of SQLSTATE for what will be over (0009 has the same). */
const HINDRANCE = /: (?:53|55|40)...$/

export class UnmovedTables {
  /** By `<staging table>: <SQLSTATE>`, as `quoin.move_all_staged` writes it. */
  readonly #retryAtMs = new Map<string, number>()

  /** What the next look leaves alone. */
  untried(nowMs: number): string[] {
    return [...this.#retryAtMs].filter(([, atMs]) => atMs > nowMs).map(([unmoved]) => unmoved)
  }

  /** When one of them is to be tried again; Infinity: there is none. */
  get retryAtMs(): number {
    return Math.min(...this.#retryAtMs.values())
  }

  /** Takes what a look could not move that began then, what it left alone included. */
  note(unmoved: readonly string[], lookAtMs: number): void {
    const former = new Map(this.#retryAtMs)
    this.#retryAtMs.clear()
    for (const each of unmoved) {
      const retryAtMs = former.get(each) ?? 0
      const pauseMs = HINDRANCE.test(each) ? HINDERED_RETRY_MS : BROKEN_RETRY_MS
      this.#retryAtMs.set(each, retryAtMs > lookAtMs ? retryAtMs : lookAtMs + pauseMs)
    }
  }
}
