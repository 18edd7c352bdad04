/**
 * Owns grouping chunks that are bound to each other by keys in common, directly or through others (connected
 * components, by union-find). Pure.
 */
import type { KeyedChunk } from './chunk-keys.ts'

interface TableGroups {
  /** A member of the group of each key that was seen. */
  readonly byKey: Map<string, number>
  readonly members: number[]
  /** A chunk without keys: from it on the whole table is one group. */
  whole: number | undefined
}

/** The groups of these chunks, which are in the order of their ids; each group keeps it, and groups go by their first id. */
export function groupChunks<C extends KeyedChunk>(chunks: readonly C[]): C[][] {
  const parents = chunks.map((_, index) => index)
  const tables = new Map<number, TableGroups>()
  chunks.forEach((chunk, index) => {
    for (const relative of relativesOf(chunk, index, tables)) unite(parents, relative, index)
  })
  const groups = new Map<number, C[]>()
  chunks.forEach((chunk, index) => {
    const root = rootOf(parents, index)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [chunk])
    else group.push(chunk)
  })
  return [...groups.values()]
}

/** One member of each group that this chunk belongs with; remembers the chunk for those that follow. */
function relativesOf(chunk: KeyedChunk, index: number, tables: Map<number, TableGroups>): number[] {
  let table = tables.get(chunk.tableId)
  if (table === undefined) {
    table = { byKey: new Map(), members: [], whole: undefined }
    tables.set(chunk.tableId, table)
  }
  if (table.whole !== undefined) return [table.whole]
  const relatives: number[] = []
  if (chunk.keys === null) {
    relatives.push(...table.members)
    table.whole = index
  } else {
    for (const key of chunk.keys) {
      const known = table.byKey.get(key)
      if (known === undefined) table.byKey.set(key, index)
      else relatives.push(known)
    }
  }
  table.members.push(index)
  return relatives
}

function unite(parents: number[], one: number, other: number): void {
  const a = rootOf(parents, one)
  const b = rootOf(parents, other)
  // The smaller index stays the root, so that it is the group's first chunk.
  if (a < b) parents[b] = a
  else parents[a] = b
}

function rootOf(parents: number[], index: number): number {
  let root = index
  for (let parent = parents[root]; parent !== undefined && parent !== root; parent = parents[root])
    root = parent
  // Halving the path keeps a chain of a thousand unions short.
  for (let at = index; at !== root; ) {
    const next = parents[at] ?? root
    parents[at] = root
    at = next
  }
  return root
}
