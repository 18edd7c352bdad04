// The tuples that one walk asks for, read from the permission server within bounds, each relation of an object at most
// once. Knows nothing of what tuples grant.

import type { Upstream } from '../../../clients/http.ts'
import type { RelationTuple, SubjectSet, TupleFilter } from '../../../clients/permission-server.ts'
import { DomainError } from '../../../errors.ts'
import { concurrently } from '../../../lib/concurrently.ts'
import { CALLS_AT_ONCE, type TuplesOfPage, tuplePages } from '../tuple-pages.ts'
import { printTuple } from '../tuple-text.ts'

/** How much one walk may read. */
export interface ReadBounds {
  tuplesMax: number
  callsMax: number
}

/** Where so many sets of one relation are asked for, its pages may bring them in fewer calls. */
const PAGED_FROM = 16
/** One page for every so many sets that were asked for: what is read in vain is a quarter at most. */
const SETS_PER_PAGE = 4

/** A relation of a namespace that is read by the page, as far as it is worth. */
interface PagedRelation {
  readonly pages: AsyncGenerator<TuplesOfPage, void, undefined>
  readonly tuples: RelationTuple[]
  setsAsked: number
  pagesRead: number
}

export class TupleReader {
  readonly #read: Upstream
  readonly #bounds: ReadBounds
  readonly #without: ReadonlySet<string>
  readonly #tuples = new Map<string, RelationTuple[]>()
  readonly #wholeObjects = new Set<string>()
  readonly #wholeRelations = new Set<string>()
  readonly #paged = new Map<string, PagedRelation>()
  #tuplesKept = 0
  #calls = 0

  /** The bound that was reached: what is known is only a part then. */
  truncatedBy: 'tuples' | 'calls' | undefined

  /** Tuples `without`, in their text form, are read as if they were not there. */
  constructor(read: Upstream, bounds: ReadBounds, without: ReadonlySet<string> = new Set()) {
    this.#read = read
    this.#bounds = bounds
    this.#without = without
  }

  /** The tuples of a relation of an object; none before they are loaded. */
  tuplesOf(set: SubjectSet): readonly RelationTuple[] {
    return this.#tuples.get(keyOf(set)) ?? []
  }

  /** Reads all relations of an object and answers their names. Throws `unknown_namespace`. */
  async loadObject({ namespace, object }: Pick<SubjectSet, 'namespace' | 'object'>): Promise<string[]> {
    const tuples = await this.#readAll({ namespace, object })
    this.#keep(tuples)
    this.#wholeObjects.add(objectKey({ namespace, object }))
    return [...new Set(tuples.map(({ relation }) => relation))]
  }

  /** Reads the tuples of these relations of objects, as far as the bounds allow. */
  async load(sets: Iterable<SubjectSet>): Promise<void> {
    const missing = new Map<string, SubjectSet>()
    for (const set of sets) if (!this.#isKnown(set)) missing.set(keyOf(set), set)
    const byRelation = [...Map.groupBy(missing.values(), relationKey).values()]
    const many = byRelation.filter(group => group.length >= PAGED_FROM)
    await concurrently(many, CALLS_AT_ONCE, group => this.#loadPaged(group))
    const others = [...missing.values()].filter(set => !this.#isKnown(set))
    await concurrently(others, CALLS_AT_ONCE, set => this.#loadOne(set))
  }

  #isKnown(set: SubjectSet): boolean {
    if (this.#wholeRelations.has(relationKey(set)) || this.#wholeObjects.has(objectKey(set))) return true
    return this.#tuples.has(keyOf(set))
  }

  async #loadOne(set: SubjectSet): Promise<void> {
    const { namespace, object, relation } = set
    const tuples = await this.#readAll({ namespace, object, relation }).catch(noneWhereUnknown)
    this.#tuples.set(keyOf(set), [])
    this.#keep(tuples)
  }

  /** Goes on reading the relation of these sets where an earlier call stopped; keeps it once it is whole. */
  async #loadPaged(sets: readonly SubjectSet[]): Promise<void> {
    const [first] = sets
    if (first === undefined) return
    const { namespace, relation } = first
    const paged = this.#paged.get(relationKey(first)) ?? {
      pages: tuplePages(this.#read, { namespace, relation }),
      tuples: [],
      setsAsked: 0,
      pagesRead: 0,
    }
    this.#paged.set(relationKey(first), paged)
    paged.setsAsked += sets.length
    while (this.#isWorthAPage(paged) && this.#mayCall()) {
      const { value: page } = await paged.pages.next().catch(endWhereUnknown)
      for (const tuple of page?.tuples ?? []) paged.tuples.push(tuple)
      paged.pagesRead += 1
      if (page === undefined || page.isLast) return this.#keepWhole(first, paged.tuples)
    }
  }

  #isWorthAPage({ tuples, setsAsked, pagesRead }: PagedRelation): boolean {
    return pagesRead * SETS_PER_PAGE < setsAsked && this.#tuplesKept + tuples.length < this.#bounds.tuplesMax
  }

  async #readAll(filter: TupleFilter): Promise<RelationTuple[]> {
    const tuples: RelationTuple[] = []
    if (!this.#mayCall()) return tuples
    for await (const page of tuplePages(this.#read, filter)) {
      for (const tuple of page.tuples) tuples.push(tuple)
      if (!page.isLast && !this.#mayCall(tuples.length)) break
    }
    return tuples
  }

  /** Counts a call that is about to be made; false where a bound is reached. `pending` tuples are not kept yet. */
  #mayCall(pending = 0): boolean {
    if (this.#tuplesKept + pending >= this.#bounds.tuplesMax) this.truncatedBy ??= 'tuples'
    if (this.#calls >= this.#bounds.callsMax) this.truncatedBy ??= 'calls'
    if (this.truncatedBy !== undefined) return false
    this.#calls += 1
    return true
  }

  #keepWhole(set: SubjectSet, tuples: readonly RelationTuple[]): void {
    for (const key of new Set(tuples.map(keyOf))) this.#tuples.delete(key)
    this.#keep(tuples)
    this.#wholeRelations.add(relationKey(set))
    this.#paged.delete(relationKey(set))
  }

  #keep(tuples: readonly RelationTuple[]): void {
    this.#tuplesKept += tuples.length
    for (const tuple of tuples) {
      if (this.#without.size > 0 && this.#without.has(printTuple(tuple))) continue
      const key = keyOf(tuple)
      const known = this.#tuples.get(key)
      if (known === undefined) this.#tuples.set(key, [tuple])
      else known.push(tuple)
    }
  }
}

/** A namespace that was taken away grants nothing any more. */
function noneWhereUnknown(err: unknown): RelationTuple[] {
  if (err instanceof DomainError && err.code === 'unknown_namespace') return []
  throw err
}

function endWhereUnknown(err: unknown): { value: undefined } {
  noneWhereUnknown(err)
  return { value: undefined }
}

/** One text for a relation of an object; names hold no NUL. */
export function keyOf({ namespace, object, relation }: SubjectSet): string {
  return `${namespace}\0${object}\0${relation}`
}

function relationKey({ namespace, relation }: Pick<SubjectSet, 'namespace' | 'relation'>): string {
  return `${namespace}\0${relation}`
}

function objectKey({ namespace, object }: Pick<SubjectSet, 'namespace' | 'object'>): string {
  return `${namespace}\0${object}`
}
