// Where one request's time went, for the Server-Timing header. In production the clock stands
// still between I/O, so these are times of waiting, not of computing.

/** Collects durations in milliseconds; several of one name are added up. */
export class RequestTimings {
  readonly #startedAt = performance.now()
  readonly #durations: Record<string, number> = {}

  add(name: 'admission' | 'database', milliseconds: number): void {
    this.#durations[name] = (this.#durations[name] ?? 0) + milliseconds
  }

  get totalMs(): number {
    return performance.now() - this.#startedAt
  }

  /** `admission;dur=0.4, database;dur=1.2, total;dur=2.0` */
  header(): string {
    const parts = Object.entries(this.#durations).map(
      ([name, duration]) => `${name};dur=${duration.toFixed(1)}`,
    )
    return [...parts, `total;dur=${this.totalMs.toFixed(1)}`].join(', ')
  }
}
