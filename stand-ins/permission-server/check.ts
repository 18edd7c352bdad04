// Whether a subject is in a set: directly, through subject sets, or by a permit of the permission file. The order, the
// depth that each step takes and the visited sets are those of Keto v26.2.0 (internal/check). They decide what is
// found at all, since a check that runs out of depth is a quiet no. Knows no database: facts.ts reads it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Group, Rewrite } from '../../src/features/permissions/language/ast.ts'
import { WireError } from '../service/wire-error.ts'
import type { Namespaces } from './namespaces.ts'
import { type SubjectSet, setKey } from './tuple.ts'

/** Of more subject sets in one relation only these many are opened. */
const WIDTH_MAX = 100
const WIDTH_OPENED = 99
/** So many show whether there are more than may be opened. */
export const SETS_READ = WIDTH_MAX + 1
/** Of one check; Keto has no such limit. A permit over a web of parents would else take for ever. */
export const STEPS_MAX = 20_000
/** Then other requests have theirs. */
const STEPS_A_TURN = 500

/** `unknown` is an answer that the depth cut off: no yes, and nothing that `!` turns into one. */
export type Membership = 'member' | 'not_member' | 'unknown'

export interface FoundSet extends SubjectSet {
  /** Whether the subject stands in that set itself. */
  readonly hasSubject: boolean
}

/** What is stored under a set. */
export interface Facts {
  /** Whether the subject stands there itself. */
  readonly hasSubject: boolean
  /**
   * The subject sets there in the order of their ids. Where there are more than `SETS_READ`, only so many, those first
   * that the subject stands in.
   */
  readonly sets: readonly FoundSet[]
}

/** The facts about one subject. */
export interface FactSource {
  of(set: SubjectSet): Promise<Facts>
  /** Reads at once what `of` will be asked for. */
  prefetch(sets: readonly SubjectSet[]): Promise<void>
  /** All subject sets there, or of more than `STEPS_MAX` the first of a traversal. Not needed where `of` has all. */
  allSets?(set: SubjectSet): Promise<readonly SubjectSet[]>
}

type Step = () => Promise<Membership>
/** Keys of the sets that were opened below the first one that was. */
type Visited = Set<string> | undefined

/** The depth that a check or a tree has: what was asked for unless that is nothing or more than the server's own. */
export function depthOf(asked: number, depthMax: number): number {
  return asked <= 0 || asked > depthMax ? depthMax : asked
}

/**
 * Whether the subject of `facts` is in `set`; `depth` is what `depthOf` gave. Throws a 400 for a relation that is not
 * declared, also where one is met on the way. Throws a 422 when the check takes too many steps.
 */
export async function isMember(
  namespaces: Namespaces,
  facts: FactSource,
  set: SubjectSet,
  depth: number,
): Promise<boolean> {
  const membership = await new Check(namespaces, facts).isAllowed(set, depth, undefined, false)
  return membership === 'member'
}

class Check {
  readonly #namespaces: Namespaces
  readonly #facts: FactSource
  #steps = 0

  constructor(namespaces: Namespaces, facts: FactSource) {
    this.#namespaces = namespaces
    this.#facts = facts
  }

  async isAllowed(
    set: SubjectSet,
    depth: number,
    visited: Visited,
    skipDirect: boolean,
  ): Promise<Membership> {
    if (depth <= 0) return 'unknown'
    this.#steps += 1
    if (this.#steps > STEPS_MAX) throw tooMuch(`it takes more than ${STEPS_MAX} steps`)
    if (this.#steps % STEPS_A_TURN === 0) await nextTurn()
    const permit = this.#namespaces.permitOf(set)
    const steps: Step[] = []
    if (permit !== undefined) steps.push(() => this.#byRewrite(set, permit, depth, visited))
    if (!skipDirect) steps.push(() => this.#directly(set, depth - 1))
    steps.push(() => this.#bySubjectSets(set, depth - 1, visited))
    return anyOf(steps)
  }

  async #directly(set: SubjectSet, depth: number): Promise<Membership> {
    if (depth <= 0) return 'unknown'
    return (await this.#facts.of(set)).hasSubject ? 'member' : 'not_member'
  }

  async #bySubjectSets(set: SubjectSet, depth: number, visited = new Set<string>()): Promise<Membership> {
    if (depth <= 0) return 'unknown'
    const { sets } = await this.#facts.of(set)
    if (sets.some(({ hasSubject }) => hasSubject)) return 'member'
    const opened = sets.length > WIDTH_MAX ? sets.slice(0, WIDTH_OPENED) : sets
    // Also at the last step: a permit among them still asks for what it includes.
    await this.#facts.prefetch(opened)
    for (const inner of unvisited(opened, visited))
      if ((await this.isAllowed(inner, depth, visited, true)) === 'member') return 'member'
    return 'not_member'
  }

  async #byRewrite(set: SubjectSet, group: Group, depth: number, visited: Visited): Promise<Membership> {
    if (depth <= 0) return 'unknown'
    const stepOf = (child: Rewrite) => () => this.#byChild(set, child, depth, visited)
    if (group.kind === 'and') return allOf(group.children.map(stepOf))
    const included = group.children.flatMap(child => (child.kind === 'relation' ? child.relation : []))
    const others = group.children.filter(child => child.kind !== 'relation')
    return anyOf([() => this.#byIncluded(set, included, depth, visited), ...others.map(stepOf)])
  }

  /** The relations that a union names: first whether the subject stands in one of them, then the way to each. */
  async #byIncluded(
    set: SubjectSet,
    relations: readonly string[],
    depth: number,
    visited: Visited,
  ): Promise<Membership> {
    const sets = relations.map(relation => ({ ...set, relation }))
    for (const one of sets) if ((await this.#facts.of(one)).hasSubject) return 'member'
    return anyOf(sets.map(one => () => this.isAllowed(one, depth - 1, visited, true)))
  }

  async #byChild(set: SubjectSet, child: Rewrite, depth: number, visited: Visited): Promise<Membership> {
    switch (child.kind) {
      case 'relation':
        return this.isAllowed({ ...set, relation: child.relation }, depth, visited, false)
      case 'traverse':
        return this.#byTraversal(set, child, depth, visited)
      case 'not':
        return this.#byNegation(set, child.child, depth, visited)
      default:
        return this.#byRewrite(set, child, depth - 1, visited)
    }
  }

  async #byNegation(set: SubjectSet, child: Rewrite, depth: number, visited: Visited): Promise<Membership> {
    const isGroup = child.kind === 'or' || child.kind === 'and'
    const membership = await (isGroup
      ? this.#byRewrite(set, child, depth, visited)
      : this.#byChild(set, child, depth, visited))
    if (membership === 'unknown') return 'unknown'
    return membership === 'member' ? 'not_member' : 'member'
  }

  /**
   * Whatever relation the subject sets name: their objects count, in the order in which Keto lists them. Subject ids
   * are passed over.
   */
  async #byTraversal(
    set: SubjectSet,
    { relation, computed }: Extract<Rewrite, { kind: 'traverse' }>,
    depth: number,
    visited: Visited,
  ): Promise<Membership> {
    const from = { ...set, relation }
    const sets = (await this.#facts.allSets?.(from)) ?? (await this.#facts.of(from)).sets
    const targets = sets
      .toSorted(inOrderOfParts)
      .map(({ namespace, object }) => ({ namespace, object, relation: computed }))
    for (const [i, target] of targets.entries()) {
      if (depth > 1 && i % WIDTH_MAX === 0) await this.#facts.prefetch(targets.slice(i, i + WIDTH_MAX))
      if ((await this.isAllowed(target, depth - 1, visited, false)) === 'member') return 'member'
    }
    return 'not_member'
  }
}

/** The 422 of a check or a tree that is larger than this server is ready to make; Keto has no such limit. */
export function tooMuch(reason: string): WireError {
  return new WireError(422, { message: 'The request could not be completed', reason })
}

/** Sets of the same parts stay in their order. Keto has ids in place of objects: its order of these is another. */
function inOrderOfParts(a: SubjectSet, b: SubjectSet): number {
  const compare = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1)
  return compare(a.namespace, b.namespace) || compare(a.object, b.object) || compare(a.relation, b.relation)
}

async function anyOf(steps: readonly Step[]): Promise<Membership> {
  for (const step of steps) if ((await step()) === 'member') return 'member'
  return 'not_member'
}

async function allOf(steps: readonly Step[]): Promise<Membership> {
  for (const step of steps) if ((await step()) !== 'member') return 'not_member'
  return steps.length > 0 ? 'member' : 'not_member'
}

/**
 * The sets that were not visited before, which they are from now on. Keto marks the next one before it looks into the
 * one at hand, and so does this.
 */
function* unvisited(sets: readonly SubjectSet[], visited: Set<string>): Generator<SubjectSet> {
  let held: SubjectSet | undefined
  for (const set of sets) {
    const key = setKey(set)
    if (visited.has(key)) continue
    visited.add(key)
    if (held !== undefined) yield held
    held = set
  }
  if (held !== undefined) yield held
}
