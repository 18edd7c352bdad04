/**
 * Owns the question whether two chunks have a key in common: keys belong to their table, and a chunk without keys has
 * one in common with every chunk of its table. Pure.
 */

/** What ordering needs to know of a chunk. */
export interface KeyedChunk {
  readonly id: bigint
  readonly tableId: number
  /** New keys and old ones; null: the whole table is one key. */
  readonly keys: readonly string[] | null
}

interface TableKeys {
  chunks: number
  whole: number
  readonly counts: Map<string, number>
}

/** A multiset of the keys of chunks; each chunk that is taken out was put in before. */
export class KeySet {
  readonly #tables = new Map<number, TableKeys>()

  add({ tableId, keys }: KeyedChunk): void {
    let table = this.#tables.get(tableId)
    if (table === undefined) {
      table = { chunks: 0, whole: 0, counts: new Map() }
      this.#tables.set(tableId, table)
    }
    table.chunks += 1
    if (keys === null) table.whole += 1
    else for (const key of keys) table.counts.set(key, (table.counts.get(key) ?? 0) + 1)
  }

  remove({ tableId, keys }: KeyedChunk): void {
    const table = this.#tables.get(tableId)
    if (table === undefined) return
    table.chunks -= 1
    if (table.chunks === 0) {
      this.#tables.delete(tableId)
      return
    }
    if (keys === null) table.whole -= 1
    else for (const key of keys) removeOne(table.counts, key)
  }

  /** True when some chunk in the set has a key in common with this one. */
  conflictsWith({ tableId, keys }: KeyedChunk): boolean {
    const table = this.#tables.get(tableId)
    if (table === undefined) return false
    return keys === null || table.whole > 0 || keys.some(key => table.counts.has(key))
  }
}

function removeOne(counts: Map<string, number>, key: string): void {
  const count = counts.get(key) ?? 0
  if (count > 1) counts.set(key, count - 1)
  else counts.delete(key)
}
