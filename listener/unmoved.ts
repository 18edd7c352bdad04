/**
 * Owns which staging tables are not tried for a while, because their rows could not be moved. Each try may write much and take it back, and
 * the table is looked at again whenever anybody commits anything. Pure: told what could not be moved and what time it is.
 */

/** First pause after what will be over (a lock, a lack of room); each try in vain doubles it. */
export const RETRY_MS_MIN = 1_000
/** The longest, and the first after what somebody has to mend: a broken page. */
export const RETRY_MS_MAX = 30_000

/** Classes of SQLSTATE for what will be over (0009 has the same). */
const HINDRANCE = /: (?:53|55|40)...$/

export class UnmovedTables {
  /** By `<staging table>: <SQLSTATE>`, as `quoin.move_all_staged` writes it. */
  #retries = new Map<string, { readonly atMs: number; readonly pauseMs: number }>()

  /** What the next look leaves alone. */
  untried(nowMs: number): string[] {
    return [...this.#retries].filter(([, { atMs }]) => atMs > nowMs).map(([unmoved]) => unmoved)
  }

  /** When one of them is to be tried again; Infinity: there is none. */
  get retryAtMs(): number {
    return Math.min(...[...this.#retries.values()].map(({ atMs }) => atMs))
  }

  /** Takes what a look could not move that began then, what it left alone included. */
  note(unmoved: readonly string[], lookAtMs: number): void {
    const former = this.#retries
    this.#retries = new Map()
    for (const each of unmoved) {
      const retry = former.get(each)
      if (retry !== undefined && retry.atMs > lookAtMs) this.#retries.set(each, retry)
      else {
        const firstMs = HINDRANCE.test(each) ? RETRY_MS_MIN : RETRY_MS_MAX
        const pauseMs = retry === undefined ? firstMs : Math.min(RETRY_MS_MAX, retry.pauseMs * 2)
        this.#retries.set(each, { atMs: lookAtMs + pauseMs, pauseMs })
      }
    }
  }
}
