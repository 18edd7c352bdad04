// Who wants what, as an isolate knows it: read again when a message was written by somebody who saw a newer registry
// (`quoin.webhook_registry`). So no change misses a subscriber that was there when it was made.

export class VersionedRegistry<Known extends { version: number }> {
  readonly #reading: () => Promise<Known>
  #known: Known | undefined

  constructor(reading: () => Promise<Known>) {
    this.#reading = reading
  }

  /**
   * What is known of at least this version, where the database has it. An older one comes of a database that was
   * restored to before it, or where nobody ever had such a version. Throws when the database does not answer.
   */
  async atLeast(version: number): Promise<Known> {
    if (this.#known !== undefined && this.#known.version >= version) return this.#known
    // Each reads by itself: where an invocation ends, what it waits for never comes, for those who would share it too.
    const known = await this.#reading()
    this.#known = known
    return known
  }
}
