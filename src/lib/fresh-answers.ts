// What somebody else said, taken as true for a short time: so that a page that makes ten calls asks once. One isolate's
// memory, bounded. Callers never share an answer that is still to come: in workerd one may not wait for another's I/O.

import { BoundedMap } from './bounded-map.ts'

export interface FreshAnswersSettings {
  /** How long an answer counts. */
  freshMs: number
  sizeMax: number
  now: () => Date
}

/** The end of an answer that is not to be kept. */
export const NOT_KEPT = 0

/** An answer, and how long it can be true. */
export interface Answer<Value> {
  value: Value
  /** Milliseconds since 1970 after which it cannot be true any more, however fresh it is. */
  endsMs?: number | undefined
}

interface Kept<Value> {
  value: Value
  untilMs: number
}

/** Answers by their question, each asked for when the one that is kept is too old. What `ask` throws is not kept. */
export class FreshAnswers<Value> {
  readonly #settings: FreshAnswersSettings
  #kept: BoundedMap<string, Kept<Value>>

  constructor(settings: FreshAnswersSettings) {
    this.#settings = settings
    this.#kept = new BoundedMap(settings.sizeMax)
  }

  /** The answer that is kept, or else that of `ask`. Throws what `ask` throws. */
  async get(question: string, ask: () => Promise<Answer<Value>>): Promise<Value> {
    const { freshMs, now } = this.#settings
    const nowMs = now().getTime()
    // Whoever forgets while `ask` is under way does not want its answer either: it goes into the map of before.
    const kept = this.#kept
    const known = kept.get(question)
    if (known !== undefined && nowMs < known.untilMs) return known.value
    kept.delete(question)
    const { value, endsMs = Number.POSITIVE_INFINITY } = await ask()
    const untilMs = Math.min(nowMs + freshMs, endsMs)
    if (nowMs < untilMs) kept.set(question, { value, untilMs })
    return value
  }

  /** Every question is asked again. */
  forget(): void {
    this.#kept = new BoundedMap(this.#settings.sizeMax)
  }
}
