/**
 * Owns the question which chunks have a key in common: keys belong to their table, and a chunk without keys has one in
 * common with every chunk of its table. Pure.
 */

/** What ordering needs to know of a chunk. */
export interface KeyedChunk {
  readonly id: bigint
  readonly tableId: number
  /** New keys and old ones, each as `tableKey` makes it; null: the whole table is one key. */
  readonly keys: readonly string[] | null
}

/** A key, as no other table has it. */
export function tableKey(tableId: number, key: string): string {
  return `${tableId} ${key}`
}

/** A multiset of the keys of chunks; each chunk that is taken out was put in before. */
export class KeySet {
  readonly #counts = new Map<string, number>()

  add(chunk: KeyedChunk): void {
    for (const name of namesOf(chunk)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  remove(chunk: KeyedChunk): void {
    for (const name of namesOf(chunk)) {
      const count = this.#counts.get(name) ?? 0
      if (count > 1) this.#counts.set(name, count - 1)
      else this.#counts.delete(name)
    }
  }

  /** True when some chunk in the set has a key in common with this one. */
  conflictsWith({ tableId, keys }: KeyedChunk): boolean {
    if (keys === null) return this.#counts.has(anyOf(tableId))
    return this.#counts.has(wholeOf(tableId)) || keys.some(key => this.#counts.has(key))
  }
}

/**
 * Groups of chunks that are bound to each other by keys in common, directly or through others. Each group keeps the
 * order of the chunks, and groups go by their first.
 */
export function groupChunks<C extends KeyedChunk>(chunks: readonly C[]): C[][] {
  const wholeTables = new Set(chunks.filter(({ keys }) => keys === null).map(({ tableId }) => tableId))
  const keysOf = ({ tableId, keys }: KeyedChunk) =>
    keys === null || wholeTables.has(tableId) ? [wholeOf(tableId)] : keys
  const bonds = new Bonds()
  for (const chunk of chunks) bonds.unite(keysOf(chunk))
  return [...Map.groupBy(chunks, chunk => bonds.rootOf(keysOf(chunk)[0] ?? '')).values()]
}

/** Which keys belong together (union-find). */
class Bonds {
  readonly #parents = new Map<string, string>()

  unite([first = '', ...others]: readonly string[]): void {
    const root = this.rootOf(first)
    for (const other of others) {
      const otherRoot = this.rootOf(other)
      if (otherRoot !== root) this.#parents.set(otherRoot, root)
    }
  }

  rootOf(key: string): string {
    let at = key
    for (let parent = this.#parents.get(at); parent !== undefined; parent = this.#parents.get(at)) {
      // Pointing each at the next but one keeps a chain of a thousand unions short.
      this.#parents.set(at, this.#parents.get(parent) ?? parent)
      at = parent
    }
    return at
  }
}

function namesOf({ tableId, keys }: KeyedChunk): readonly string[] {
  return [anyOf(tableId), ...(keys ?? [wholeOf(tableId)])]
}

/** Not to be taken for a key: these have a space. */
const anyOf = (tableId: number): string => `${tableId}`
const wholeOf = (tableId: number): string => `${tableId}*`
