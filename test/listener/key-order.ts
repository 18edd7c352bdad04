// Watches the promise that the listener keeps: nothing overtakes an unconfirmed chunk that has a key in common with it.

import type { Chunk } from '../../src/features/row-changes/ingest/messages.ts'

export class KeyOrder {
  readonly #keys = new Map<string, readonly string[]>()
  /** The unconfirmed chunks of each key. */
  readonly #holders = new Map<string, Set<string>>()

  get unconfirmed(): string[] {
    return [...this.#keys.keys()]
  }

  /**
   * Takes a message, and answers what it overtakes. A chunk that is sent again has its own keys unconfirmed: only
   * others count.
   */
  accept(message: readonly Chunk[]): string[] {
    const faults: string[] = []
    const inMessage = new Set(message.map(({ id }) => id))
    for (const chunk of message) {
      for (const key of keysOf(chunk)) {
        const other = [...(this.#holders.get(key) ?? [])].find(id => !inMessage.has(id))
        if (other !== undefined) faults.push(`${chunk.id} overtakes ${other}: ${key}`)
      }
    }
    for (const chunk of message) {
      this.#keys.set(chunk.id, keysOf(chunk))
      for (const key of keysOf(chunk))
        this.#holders.set(key, new Set([...(this.#holders.get(key) ?? []), chunk.id]))
    }
    return faults
  }

  /** The chunk is confirmed. */
  forget(id: string): void {
    for (const key of this.#keys.get(id) ?? []) {
      this.#holders.get(key)?.delete(id)
      if (this.#holders.get(key)?.size === 0) this.#holders.delete(key)
    }
    this.#keys.delete(id)
  }
}

function keysOf({ changes, table_id }: Chunk): string[] {
  const keys = (changes ?? []).flatMap(({ key, old_key }) => (old_key === null ? [key] : [key, old_key]))
  return [...new Set(keys.map(key => `${table_id} ${key}`))]
}
