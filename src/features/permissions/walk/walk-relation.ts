// Who has a relation to an object, and by which tuples: what the permission server's check (Keto v26.2.0) would say of
// every subject, found in one walk from the object down. The walk takes the server's steps, a level for each of the
// depth, and says which limits it met. docs/design/permissions.md has the arithmetic.

import type { SubjectSet } from '../../../clients/permission-server.ts'
import type { Turns } from '../../../lib/turns.ts'
import type { Declarations } from '../declarations.ts'
import { printSubject, printTuple } from '../tuple-text.ts'
import type { AnswerRoom } from './answer-room.ts'
import { keyOf, type TupleReader } from './tuple-reader.ts'

/**
 * Why an answer may lack something. The server's own limits: `depth`, and `width`, beyond which it follows only some
 * subject sets. Ours: `tuples` and `calls` that are read, and `size` of the answer. `operator`: a permit with `&&` or
 * `!`, which no walk can follow. `undeclared`: a relation or namespace that the permission file does not have, on which
 * checks fail. The gravest first.
 */
export const LIMITS = ['tuples', 'calls', 'size', 'undeclared', 'operator', 'width', 'depth'] as const
export type Limit = (typeof LIMITS)[number]

/** Tuples in their text form, from the object to a subject. */
export type Via = readonly string[]

export interface Walked {
  /** By the subject's text form; of several ways one that the server's depth reaches first. */
  readonly grants: ReadonlyMap<string, Via>
  readonly limits: ReadonlySet<Limit>
}

export interface Walk {
  readonly reader: TupleReader
  readonly declarations: Declarations
  /** `limit.max_read_depth` of the permission server. */
  readonly depthMax: number
  /** The one subject that is asked about, in its text form; undefined for all. */
  readonly only?: string
  /** What all grants of an answer may hold. */
  readonly room: AnswerRoom
  readonly turns: Turns
}

/** A relation of an object that is looked into: where the server's check calls itself. */
interface Arrival {
  readonly set: SubjectSet
  /** Made when it is needed: most arrivals lead where others were before. */
  readonly via: () => Via
  /** `opened` as a subject set, or `named` by the question or by a permit. */
  readonly as: 'opened' | 'named'
  /** The step before sees who has the relation directly, whatever depth is left. */
  readonly isDirectKnown: boolean
}

interface Step extends Arrival {
  /** What every way to here has passed. */
  readonly passed: ReadonlySet<string>
}

/** `limit.max_read_width` of the permission server, by default. */
const WIDTH_MAX = 100

/** Of a tuple or a set that is looked at, in units of `Turns`. */
const LOOK_WORK = 200

/** The gravest of some limits; null for none. */
export function firstLimit(limits: Iterable<Limit>): Limit | null {
  const met = new Set(limits)
  return LIMITS.find(limit => met.has(limit)) ?? null
}

/** Walks from a relation of an object. Throws the `upstream_*` errors. */
export async function walkRelation(walk: Walk, set: SubjectSet): Promise<Walked> {
  const { reader, depthMax } = walk
  const found: Found = { grants: new Map(), limits: new Set(), seen: new Set() }
  const { grants, limits } = found
  let steps = new Map<string, Step>()
  addStep(steps, { set, via: () => [], as: 'named', isDirectKnown: false }, new Set())
  for (let rest = depthMax; steps.size > 0; rest--) {
    const now = [...steps.values()]
    steps = new Map()
    if (rest > 0)
      await load(
        walk,
        now.flatMap(step => setsReadBy(walk, step)),
      )
    if (rest > 1)
      await load(
        walk,
        now.flatMap(step => subjectSetsOf(reader, step.set)),
      )
    for (const step of now) {
      await walk.turns.spend(LOOK_WORK)
      for (const limit of limitsAt(walk, step, rest)) limits.add(limit)
      if (rest > 1 && !step.isDirectKnown) await grantDirectly(walk, step, found)
      for (const arrival of arrivalsFrom(walk, step, rest)) {
        const turn = walk.turns.spend(LOOK_WORK)
        if (turn !== undefined) await turn
        if (arrival.isDirectKnown) await grantDirectly(walk, arrival, found)
        addStep(steps, arrival, step.passed)
      }
    }
  }
  if (reader.truncatedBy !== undefined) limits.add(reader.truncatedBy)
  return { grants, limits }
}

/**
 * Goes on from an arrival, unless every way has been there: a cycle finds nothing new. A set that was met before is
 * walked again, with less depth. The server opens a set once in a check, in an order that nobody promises: the first
 * time may be at the end of a long way, so what is cut off there is a limit of the answer.
 */
function addStep(steps: Map<string, Step>, arrival: Arrival, before: ReadonlySet<string>): void {
  const place = `${arrival.as} ${keyOf(arrival.set)}`
  if (before.has(place)) return
  const passed = new Set(before).add(place)
  const other = steps.get(place)
  if (other === undefined) {
    const via = arrival.via()
    steps.set(place, { ...arrival, via: () => via, passed })
  } else {
    const isDirectKnown = other.isDirectKnown && arrival.isDirectKnown
    steps.set(place, { ...other, isDirectKnown, passed: inBoth(other.passed, passed) })
  }
}

/** Each set is looked for among those that are known. */
async function load({ reader, turns }: Walk, sets: readonly SubjectSet[]): Promise<void> {
  await turns.spend(LOOK_WORK * sets.length)
  await reader.load(sets)
}

/** What is read before a step is taken: its own tuples, and those that a permit looks at. */
function setsReadBy(walk: Walk, { set }: Step): SubjectSet[] {
  return [set, ...followed(walk, set).map(({ relation }) => ({ ...set, relation }))]
}

/** Where a step leads, each at the cost of one of the depth. */
function* arrivalsFrom(walk: Walk, { set, via }: Step, rest: number): Generator<Arrival> {
  if (rest === 0) return
  for (const child of followed(walk, set)) {
    const inner = { ...set, relation: child.relation }
    if (child.kind === 'relation') yield { set: inner, via, as: 'named', isDirectKnown: true }
    else
      for (const link of linksOf(walk.reader, inner, via)) {
        const target = { ...link.set, relation: child.computed }
        yield { set: target, via: link.via, as: 'named', isDirectKnown: false }
      }
  }
  if (rest === 1) return
  for (const link of linksOf(walk.reader, set, via)) yield { ...link, as: 'opened', isDirectKnown: true }
}

/** The limits that the server, or the walk, meets in a step. */
function* limitsAt(walk: Walk, { set, isDirectKnown }: Step, rest: number): Generator<Limit> {
  const permit = walk.declarations.rewriteOf(set)
  const tuples = walk.reader.tuplesOf(set)
  if (rest === 0 && (!isDirectKnown || permit !== undefined)) yield 'depth'
  if (rest <= 1 && tuples.some(({ subject_set }) => !isDirectKnown || subject_set !== undefined))
    yield 'depth'
  if (rest === 0) return
  if (permit !== undefined && followed(walk, set).length < permit.children.length) yield 'operator'
  const kind = walk.declarations.kindOf(set)
  if (kind === 'undeclared' || kind === 'unknown') yield 'undeclared'
  const sets = rest > 1 ? subjectSetsOf(walk.reader, set) : []
  if (sets.length > WIDTH_MAX && sets.some(each => opensFurther(walk, each))) yield 'width'
}

/** The parts of a permit that a walk can follow; none of a relation that is no permit. */
function followed({ declarations }: Walk, set: SubjectSet) {
  const permit = declarations.rewriteOf(set)
  if (permit?.kind !== 'or') return []
  return permit.children.filter(child => child.kind === 'relation' || child.kind === 'traverse')
}

function opensFurther({ reader, declarations }: Walk, set: SubjectSet): boolean {
  if (declarations.rewriteOf(set) !== undefined) return true
  return reader.tuplesOf(set).some(({ subject_set }) => subject_set !== undefined)
}

/** The subject sets that have a relation, each with the way that leads there. */
function* linksOf(reader: TupleReader, set: SubjectSet, via: () => Via) {
  for (const tuple of reader.tuplesOf(set)) {
    if (tuple.subject_set !== undefined)
      yield { set: tuple.subject_set, via: () => [...via(), printTuple(tuple)] }
  }
}

function subjectSetsOf(reader: TupleReader, set: SubjectSet): SubjectSet[] {
  return reader.tuplesOf(set).flatMap(({ subject_set }) => subject_set ?? [])
}

interface Found {
  readonly grants: Map<string, Via>
  readonly limits: Set<Limit>
  /** Sets whose direct subjects are among the grants. */
  readonly seen: Set<string>
}

/** The first to grant wins: it has the most depth left. */
async function grantDirectly(
  walk: Walk,
  { set, via }: Arrival,
  { grants, limits, seen }: Found,
): Promise<void> {
  if (seen.has(keyOf(set))) return
  seen.add(keyOf(set))
  for (const tuple of walk.reader.tuplesOf(set)) {
    const turn = walk.turns.spend(LOOK_WORK)
    if (turn !== undefined) await turn
    const subject = printSubject(tuple)
    if (grants.has(subject) || (walk.only !== undefined && walk.only !== subject)) continue
    const texts = [...via(), printTuple(tuple)]
    if (walk.room.take(subject, texts)) grants.set(subject, texts)
    else limits.add('size')
  }
}

function inBoth(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...one].filter(place => other.has(place)))
}
