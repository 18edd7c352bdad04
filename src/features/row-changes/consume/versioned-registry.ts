// Who wants what, as an isolate knows it: read again when a message was written by somebody who saw a newer registry
// (`quoin.webhook_registry`). So no change misses a subscriber that was there when it was made.

export class VersionedRegistry<Known extends { version: number }> {
  readonly #reading: () => Promise<Known>
  #known: Known | undefined
  #underWay: Promise<Known> | undefined

  constructor(reading: () => Promise<Known>) {
    this.#reading = reading
  }

  /**
   * What is known of at least this version, where the database has it. An older one comes of a database that was
   * restored to before it, or where nobody ever had such a version. Throws when the database does not answer.
   */
  async atLeast(version: number): Promise<Known> {
    if (this.#known !== undefined && this.#known.version >= version) return this.#known
    if (this.#underWay !== undefined) {
      // It may have begun before the change.
      const known = await this.#underWay
      if (known.version >= version) return known
    }
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined
    })
    return await this.#underWay
  }

  async #read(): Promise<Known> {
    this.#known = await this.#reading()
    return this.#known
  }
}
