// Who has a relation to an object, and by which tuples: what the permission server's check (Keto v26.2.0) would say of
// every subject, found in one walk from the object down. The walk takes the server's steps at the server's cost in
// depth, the shortest way first, and says which limits it met. docs/design/permissions.md has the arithmetic.

import type { SubjectSet } from '../../../clients/permission-server.ts'
import type { Declarations } from '../declarations.ts'
import type { Group } from '../language/ast.ts'
import { printSubject, printTuple } from '../tuple-text.ts'
import { keyOf, type TupleStore } from './tuple-store.ts'

/**
 * Why an answer may lack something. The server's own limits: `depth`, and `width`, beyond which it follows only some
 * subject sets. Ours: `tuples` and `calls`. `operator`: a permit with `&&` or `!`, which no walk can follow.
 * `undeclared`: a relation or namespace that the permission file does not have, on which checks fail.
 */
export const LIMITS = ['tuples', 'calls', 'depth', 'width', 'operator', 'undeclared'] as const
export type Limit = (typeof LIMITS)[number]

/** Tuples in their text form, from the object to a subject. */
export type Way = readonly string[]

export interface Walked {
  /** By the subject's text form; of several ways one that the server's depth reaches first. */
  readonly grants: ReadonlyMap<string, Way>
  readonly limits: ReadonlySet<Limit>
}

export interface Walk {
  readonly store: TupleStore
  readonly declarations: Declarations
  /** `limit.max_read_depth` of the permission server. */
  readonly depthMax: number
}

/** A relation of an object that is looked into: where the server's check calls itself. */
interface Step {
  readonly set: SubjectSet
  readonly way: Way
  /** The step before sees who has the relation directly, whatever depth is left to this one. */
  readonly isDirectKnown: boolean
  /** A part of a permit in parentheses: no relation of its own. */
  readonly part?: Group
}

/** `limit.max_read_width` of the permission server, by default. */
const WIDTH_MAX = 100
/** Ways that are tried in a graph with cycles before the answer is "perhaps". */
const WAYS_TRIED_MAX = 100_000

/** The gravest of some limits; null for none. */
export function firstLimit(limits: Iterable<Limit>): Limit | null {
  const met = new Set(limits)
  return LIMITS.find(limit => met.has(limit)) ?? null
}

/** Walks from a relation of an object. Throws the `upstream_*` errors. */
export async function walkRelation(walk: Walk, set: SubjectSet): Promise<Walked> {
  const { store, depthMax } = walk
  const grants = new Map<string, Way>()
  const limits = new Set<Limit>()
  const visited = new Set<string>([keyOf(set)])
  const root: Step = { set, way: [], isDirectKnown: false }
  let steps: Step[] = [root]
  for (let rest = depthMax; rest > 0 && steps.length > 0; rest--) {
    await store.load(steps.flatMap(step => [...setsReadBy(walk, step)]))
    if (rest > 1) await store.load(steps.flatMap(step => subjectSetsOf(store, step.set)))
    const next: Step[] = []
    for (const step of steps) {
      for (const limit of limitsAt(walk, step, rest)) limits.add(limit)
      if (!step.isDirectKnown && rest > 1) grantDirectly(store, step, grants)
      for (const arrival of stepsFrom(walk, step, rest)) {
        if (arrival.part === undefined) {
          if (arrival.isDirectKnown) grantDirectly(store, arrival, grants)
          if (visited.has(keyOf(arrival.set))) continue
          visited.add(keyOf(arrival.set))
        }
        next.push(arrival)
      }
    }
    steps = next
  }
  for (const step of steps) for (const limit of limitsAt(walk, step, 0)) limits.add(limit)
  if (!limits.has('depth') && hasCutWay(walk, root)) limits.add('depth')
  if (store.truncatedBy !== undefined) limits.add(store.truncatedBy)
  return { grants, limits }
}

/** What is read before a step is taken: its own tuples, and those that a permit looks at. */
function* setsReadBy(walk: Walk, step: Step): Generator<SubjectSet> {
  if (step.part === undefined) yield step.set
  for (const child of followed(walk, step)) {
    if (child.kind === 'relation' || child.kind === 'traverse')
      yield { ...step.set, relation: child.relation }
  }
}

/** The steps that come of a step; each costs one of the depth. */
function* stepsFrom(walk: Walk, step: Step, rest: number): Generator<Step> {
  const { set, way } = step
  for (const child of followed(walk, step)) {
    if (child.kind === 'relation')
      yield { set: { ...set, relation: child.relation }, way, isDirectKnown: true }
    if (child.kind === 'or' || child.kind === 'and') yield { set, way, isDirectKnown: true, part: child }
    if (child.kind !== 'traverse') continue
    for (const { subject_set, on } of linksOf(walk.store, { ...set, relation: child.relation }, way))
      yield { set: { ...subject_set, relation: child.computed }, way: on, isDirectKnown: false }
  }
  if (step.part !== undefined || rest <= 1) return
  for (const { subject_set, on } of linksOf(walk.store, set, way))
    yield { set: subject_set, way: on, isDirectKnown: true }
}

/** The limits that the server, or the walk, meets in a step. */
function* limitsAt(walk: Walk, step: Step, rest: number): Generator<Limit> {
  if (isCut(walk, step, rest)) yield 'depth'
  if (rest === 0) return
  const { set, part } = step
  const group = part ?? walk.declarations.rewriteOf(set)
  if (group !== undefined && (group.kind === 'and' || group.children.some(({ kind }) => kind === 'not')))
    yield 'operator'
  if (part !== undefined) return
  const kind = walk.declarations.kindOf(set)
  if (kind === 'undeclared' || kind === 'unknown') yield 'undeclared'
  const sets = rest > 1 ? subjectSetsOf(walk.store, set) : []
  if (sets.length > WIDTH_MAX && sets.some(each => opensFurther(walk, each))) yield 'width'
}

/** Whether the server stops in this step although there is more to see. */
function isCut(walk: Walk, { set, isDirectKnown, part }: Step, rest: number): boolean {
  if (rest > 1) return false
  if (rest === 0 && (!isDirectKnown || part !== undefined)) return true
  if (rest === 0 && walk.declarations.rewriteOf(set) !== undefined) return true
  if (part !== undefined) return false
  const tuples = walk.store.tuplesOf(set)
  return tuples.some(({ subject_set }) => !isDirectKnown || subject_set !== undefined)
}

/**
 * Whether some way, however long, is cut. A check looks into each subject set once, in an order that nobody promises:
 * the first time may be at the end of a long way, where no depth is left, though a short one leads there too.
 */
function hasCutWay(walk: Walk, root: Step): boolean {
  const known = new Set<string>()
  const onWay = new Set<string>()
  let tried = 0
  /** `open`: a cycle ended a way here, so that another way may go on where this one did not. */
  const look = (step: Step, rest: number): 'cut' | 'whole' | 'open' => {
    const key = step.part === undefined ? keyOf(step.set) : undefined
    const state = `${rest} ${step.isDirectKnown} ${key}`
    if (key !== undefined && known.has(state)) return 'whole'
    tried += 1
    if (tried > WAYS_TRIED_MAX || isCut(walk, step, rest)) return 'cut'
    if (rest === 0) return 'whole'
    if (key !== undefined) onWay.add(key)
    let isOpen = false
    for (const next of stepsFrom(walk, step, rest)) {
      const isCycle = next.part === undefined && onWay.has(keyOf(next.set))
      const end = isCycle ? 'open' : look(next, rest - 1)
      if (end === 'cut') return 'cut'
      isOpen ||= end === 'open'
    }
    if (key !== undefined) onWay.delete(key)
    if (key !== undefined && !isOpen) known.add(state)
    return isOpen ? 'open' : 'whole'
  }
  return look(root, walk.depthMax) === 'cut'
}

/** The parts of a permit that a walk can follow; none of another relation. */
function followed({ declarations }: Pick<Walk, 'declarations'>, { set, part }: Step) {
  const group = part ?? declarations.rewriteOf(set)
  return group?.kind === 'or' ? group.children : []
}

function opensFurther({ store, declarations }: Walk, set: SubjectSet): boolean {
  return declarations.rewriteOf(set) !== undefined || subjectSetsOf(store, set).length > 0
}

/** The subject sets that have a relation, each with the way that leads there. */
function* linksOf(store: TupleStore, set: SubjectSet, way: Way) {
  for (const tuple of store.tuplesOf(set)) {
    if (tuple.subject_set !== undefined)
      yield { subject_set: tuple.subject_set, on: [...way, printTuple(tuple)] }
  }
}

function subjectSetsOf(store: TupleStore, set: SubjectSet): SubjectSet[] {
  return store.tuplesOf(set).flatMap(({ subject_set }) => subject_set ?? [])
}

/** The first to grant wins: it has the most depth left. */
function grantDirectly(store: TupleStore, { set, way }: Step, grants: Map<string, Way>): void {
  for (const tuple of store.tuplesOf(set)) {
    const subject = printSubject(tuple)
    if (!grants.has(subject)) grants.set(subject, [...way, printTuple(tuple)])
  }
}
