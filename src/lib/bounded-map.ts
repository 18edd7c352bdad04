// A map that forgets its oldest entry when it is full: what an isolate remembers must not grow with its callers.

/** Holds at most `sizeMax` entries; reading one does not make it younger. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  has(key: Key): boolean {
    return this.#entries.has(key)
  }

  set(key: Key, value: Value): void {
    if (!this.#entries.has(key) && this.#entries.size >= this.#sizeMax) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(key, value)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}
