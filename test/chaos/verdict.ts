// Compares what was received with what was committed. Pure.

/** A committed change, as its transaction wrote it down beside it. */
export interface Commit {
  /** Event and number: unique, and in the change's own row. */
  readonly name: string
  /** The keys that it concerns: two when it changes a row's key. */
  readonly keys: readonly number[]
}

/** One request that the receiver took. */
export interface Receipt extends Commit {
  readonly webhookId: string
}

/** All empty: nothing was lost, invented, reordered or told apart from itself. */
export interface Verdict {
  /** Committed and never received. */
  readonly lost: string[]
  /** Received and never committed. */
  readonly invented: string[]
  /** Received after a later change of the same key. */
  readonly reordered: string[]
  /** Changes that came under two ids, and ids that came with two changes: a receiver that filters by id is deceived. */
  readonly misnamed: string[]
}

/** `commits` in the order in which they were made, of each key at least; `receipts` in the order of their arrival. */
export function judge(commits: readonly Commit[], receipts: readonly Receipt[]): Verdict {
  const places = new Map(commits.map(({ name }, place) => [name, place]))
  const received = new Set(receipts.map(({ name }) => name))
  return {
    lost: commits.filter(({ name }) => !received.has(name)).map(({ name }) => name),
    invented: [...received].filter(name => !places.has(name)),
    reordered: reorderedIn(receipts, places),
    misnamed: misnamedIn(receipts),
  }
}

/** Repeats count as well: no receiver is to see an old state after a newer one. */
function reorderedIn(receipts: readonly Receipt[], places: ReadonlyMap<string, number>): string[] {
  const last = new Map<number, { name: string; place: number }>()
  const found: string[] = []
  for (const { name, keys } of receipts) {
    const place = places.get(name)
    if (place === undefined) continue
    for (const key of keys) {
      const before = last.get(key)
      if (before !== undefined && before.place > place) found.push(`key ${key}: ${name} after ${before.name}`)
      else last.set(key, { name, place })
    }
  }
  return found
}

function misnamedIn(receipts: readonly Receipt[]): string[] {
  const [idOf, nameOf] = [new Map<string, string>(), new Map<string, string>()]
  const found: string[] = []
  for (const { webhookId, name } of receipts) {
    if ((idOf.get(name) ?? webhookId) !== webhookId || (nameOf.get(webhookId) ?? name) !== name)
      found.push(`${name} as ${webhookId}`)
    idOf.set(name, webhookId)
    nameOf.set(webhookId, name)
  }
  return found
}
