/**
 * Owns one sleeper that others may wake. A wake while nobody sleeps ends the next sleep at once.
 */
export class WakeSignal {
  #isRaised = false
  #wakeSleeper: (() => void) | undefined

  wake(): void {
    this.#isRaised = true
    this.#wakeSleeper?.()
  }

  /** Resolves when woken, or after `ms`; Infinity waits for the wake alone. */
  async sleep(ms: number): Promise<void> {
    if (!this.#isRaised) {
      await new Promise<void>(resolve => {
        // A longer timer would fire at once.
        const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))
        this.#wakeSleeper = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wakeSleeper = undefined
    this.#isRaised = false
  }
}
