// The tuples that one walk needs, read from the permission server within bounds: each relation of an object at most
// once. Knows nothing of what tuples grant.

import type { Upstream } from '../../../clients/http.ts'
import type { RelationTuple, SubjectSet, TupleFilter } from '../../../clients/permission-server.ts'
import { DomainError } from '../../../errors.ts'
import { concurrently } from '../../../lib/concurrently.ts'
import { tuplePages } from '../tuple-pages.ts'

/** How much one walk may read. */
export interface ReadBounds {
  tuplesMax: number
  callsMax: number
}

/** A Worker has six connections at a time. */
const CALLS_AT_ONCE = 6
/** From so many sets of one relation on, the relation is read whole: a page brings those of many sets. */
const READ_WHOLE_FROM = 16

export class TupleStore {
  readonly #read: Upstream
  readonly #bounds: ReadBounds
  readonly #tuples = new Map<string, RelationTuple[]>()
  /** Relations of a namespace, and objects, of which every tuple is known. */
  readonly #whole = new Set<string>()
  #tuplesRead = 0
  #calls = 0

  /** The bound that was reached: what is known is only a part then. */
  truncatedBy: 'tuples' | 'calls' | undefined

  constructor(read: Upstream, bounds: ReadBounds) {
    this.#read = read
    this.#bounds = bounds
  }

  /** The tuples of a relation of an object; none before they are loaded. */
  tuplesOf(set: SubjectSet): readonly RelationTuple[] {
    return this.#tuples.get(keyOf(set)) ?? []
  }

  /** Reads all relations of an object and answers their names. Throws `unknown_namespace`. */
  async loadObject({ namespace, object }: Pick<SubjectSet, 'namespace' | 'object'>): Promise<string[]> {
    const { tuples } = await this.#readPages({ namespace, object })
    this.#keep(tuples)
    this.#whole.add(objectKey({ namespace, object }))
    return [...new Set(tuples.map(({ relation }) => relation))]
  }

  /** Reads the tuples of these relations of objects, as far as the bounds allow. */
  async load(sets: Iterable<SubjectSet>): Promise<void> {
    const missing = new Map<string, SubjectSet>()
    for (const set of sets) if (!this.#isKnown(set)) missing.set(keyOf(set), set)
    const groups = [...Map.groupBy(missing.values(), relationKey).values()]
    const large = groups.filter(group => group.length >= READ_WHOLE_FROM)
    await concurrently(large, CALLS_AT_ONCE, group => this.#loadWhole(group))
    const others = [...missing.values()].filter(set => !this.#isKnown(set))
    await concurrently(others, CALLS_AT_ONCE, set => this.#loadOne(set))
  }

  #isKnown(set: SubjectSet): boolean {
    return (
      this.#tuples.has(keyOf(set)) || this.#whole.has(relationKey(set)) || this.#whole.has(objectKey(set))
    )
  }

  /** The whole relation, unless it has more pages than its sets would take calls one by one. */
  async #loadWhole(sets: readonly SubjectSet[]): Promise<void> {
    const [first] = sets
    if (first === undefined) return
    const { namespace, relation } = first
    const filter = { namespace, relation }
    const { tuples, isWhole } = await this.#readPages(filter, sets.length).catch(noneWhereUnknown)
    if (!isWhole) return
    for (const key of new Set(tuples.map(keyOf))) this.#tuples.delete(key)
    this.#keep(tuples)
    this.#whole.add(relationKey(first))
  }

  async #loadOne(set: SubjectSet): Promise<void> {
    const { namespace, object, relation } = set
    const { tuples } = await this.#readPages({ namespace, object, relation }).catch(noneWhereUnknown)
    this.#tuples.set(keyOf(set), tuples)
  }

  async #readPages(filter: TupleFilter, pagesMax = Number.POSITIVE_INFINITY): Promise<ReadTuples> {
    const tuples: RelationTuple[] = []
    if (!this.#mayCall()) return { tuples, isWhole: false }
    let pages = 0
    for await (const page of tuplePages(this.#read, filter)) {
      for (const tuple of page.tuples) tuples.push(tuple)
      this.#tuplesRead += page.tuples.length
      pages += 1
      if (page.isLast) return { tuples, isWhole: true }
      if (pages >= pagesMax || !this.#mayCall()) break
    }
    return { tuples, isWhole: false }
  }

  /** Counts a call that is about to be made; false where a bound is reached. */
  #mayCall(): boolean {
    if (this.#tuplesRead >= this.#bounds.tuplesMax) this.truncatedBy = 'tuples'
    else if (this.#calls >= this.#bounds.callsMax) this.truncatedBy = 'calls'
    else this.#calls += 1
    return this.truncatedBy === undefined
  }

  #keep(tuples: readonly RelationTuple[]): void {
    for (const tuple of tuples) {
      const key = keyOf(tuple)
      const known = this.#tuples.get(key)
      if (known === undefined) this.#tuples.set(key, [tuple])
      else known.push(tuple)
    }
  }
}

interface ReadTuples {
  tuples: RelationTuple[]
  isWhole: boolean
}

/** A namespace that was taken away grants nothing any more. */
function noneWhereUnknown(err: unknown): ReadTuples {
  if (err instanceof DomainError && err.code === 'unknown_namespace') return { tuples: [], isWhole: true }
  throw err
}

/** One text for a relation of an object; names hold no NUL. */
export function keyOf({ namespace, object, relation }: SubjectSet): string {
  return `${namespace}\0${object}\0${relation}`
}

function relationKey({ namespace, relation }: Pick<SubjectSet, 'namespace' | 'relation'>): string {
  return `relation\0${namespace}\0${relation}`
}

function objectKey({ namespace, object }: Pick<SubjectSet, 'namespace' | 'object'>): string {
  return `object\0${namespace}\0${object}`
}
