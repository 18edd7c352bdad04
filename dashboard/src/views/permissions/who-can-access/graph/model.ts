// The graph of an object as it is stored: its relations, who has them, and the members of groups that are open. Pure.

import {
  parseSubject,
  printSet,
  printSubject,
  printTuple,
  type Subject,
  type Tuple,
} from '../../../../parts/tuples/tuple-text.ts'
import { tuplesOf } from '../../../../parts/tuples/words.ts'
import type { AccessReport, ObjectName } from '../queries.ts'

export interface GraphNode {
  id: string
  kind: 'object' | 'relation' | 'group' | 'person' | 'more'
  label: string
  /** The subject's text form, of a group or person. */
  subject?: string
  of?: Subject
  isOpen?: boolean
  isOnChain: boolean
}

export interface GraphEdge {
  id: string
  source: string
  target: string
  /** The relation, where it is not plain from the node before. */
  label?: string
  isOnChain: boolean
}

export interface Graph {
  nodes: GraphNode[]
  edges: GraphEdge[]
}

/** More of one relation or group are folded into one node that opens. */
const MEMBERS_MAX = 12
/** Up to so many groups are open from the beginning. */
const OPEN_GROUPS_MAX = 8

export const ROOT = 'root'

/** All groups that an answer met, by their text forms. */
export function groupsOf(report: AccessReport): string[] {
  const texts = new Set<string>()
  for (const { subject, relations, permits } of report.subjects) {
    if (parseSubject(subject).subject_set !== undefined) texts.add(subject)
    for (const { via } of [...relations, ...permits])
      for (const { subject_set: set } of tuplesOf(via)) if (set !== undefined) texts.add(printSet(set))
  }
  return [...texts]
}

/** The groups that are open: as they begin, but for those that were toggled, and with those of the chosen chain. */
export function openGroups(
  groups: readonly string[],
  toggled: readonly string[],
  chain: readonly string[] = [],
): Set<string> {
  const isOpenAtFirst = groups.length <= OPEN_GROUPS_MAX
  const open = new Set(groups.filter(group => isOpenAtFirst !== toggled.includes(group)))
  for (const { subject_set: set } of tuplesOf(chain)) if (set !== undefined) open.add(printSet(set))
  return open
}

interface Known {
  object: ObjectName
  /** The tuples of the object. */
  tuples: readonly Tuple[]
  /** By a group's text form, the tuples that name its members. */
  members: ReadonlyMap<string, readonly Tuple[]>
  open: ReadonlySet<string>
  toggled: readonly string[]
  chain: readonly string[]
}

/** Of some relations of the object. */
export function graphOf(known: Known, relations: readonly string[]): Graph {
  const { object, tuples, chain } = known
  const nodes = new Map<string, GraphNode>()
  const edges = new Map<string, GraphEdge>()
  const chained = new Set(chain)
  nodes.set(ROOT, { id: ROOT, kind: 'object', label: object.object, isOnChain: chain.length > 0 })
  const addEdge = (source: string, target: string, isOnChain: boolean, label?: string) => {
    const id = `${source} ${target} ${label ?? ''}`
    edges.set(id, { id, source, target, isOnChain, ...(label && { label }) })
  }
  const addMembers = (parent: string, members: readonly Tuple[], isLabelled: boolean) => {
    const isWhole = known.toggled.includes(`more ${parent}`)
    const shown = isWhole ? members : cut(members, chained)
    for (const tuple of shown) {
      const subject = printSubject(tuple)
      const id = `subject ${subject}`
      const isOnChain = chained.has(printTuple(tuple))
      addEdge(parent, id, isOnChain, isLabelled ? tuple.relation : undefined)
      const present = nodes.get(id)
      if (present !== undefined) {
        present.isOnChain ||= isOnChain
        continue
      }
      const isGroup = tuple.subject_set !== undefined
      const isOpen = isGroup && known.open.has(subject)
      nodes.set(id, {
        id,
        kind: isGroup ? 'group' : 'person',
        label: subject,
        subject,
        of: tuple,
        isOnChain,
        ...(isGroup && { isOpen }),
      })
      if (isOpen) addMembers(id, known.members.get(subject) ?? [], tuple.subject_set?.relation === '')
    }
    if (shown.length === members.length) return
    const id = `more ${parent}`
    nodes.set(id, { id, kind: 'more', label: `${members.length - shown.length} more`, isOnChain: false })
    addEdge(parent, id, false)
  }
  for (const relation of relations) {
    const id = `relation ${relation}`
    const held = tuples.filter(tuple => tuple.relation === relation)
    const isOnChain = held.some(tuple => chained.has(printTuple(tuple)))
    nodes.set(id, { id, kind: 'relation', label: relation, isOnChain })
    addEdge(ROOT, id, isOnChain)
    addMembers(id, held, false)
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] }
}

/** Groups come first, then what the chain needs, then as many others as there is room for. */
function cut(members: readonly Tuple[], chained: ReadonlySet<string>): readonly Tuple[] {
  // One more node says less than the one that it would replace.
  if (members.length <= MEMBERS_MAX + 1) return members
  const rank = (tuple: Tuple) =>
    chained.has(printTuple(tuple)) ? 0 : tuple.subject_set !== undefined ? 1 : 2
  return [...members].sort((a, b) => rank(a) - rank(b)).slice(0, MEMBERS_MAX)
}

/** The relations on either side of the object: as even as their sizes allow. */
export function sidesOf(
  tuples: readonly Tuple[],
  sizeOf: (relation: string) => number,
): [left: string[], right: string[]] {
  const relations = [...new Set(tuples.map(({ relation }) => relation))]
  const left: string[] = []
  const right: string[] = []
  let balance = 0
  for (const relation of relations.sort((a, b) => sizeOf(b) - sizeOf(a))) {
    const size = sizeOf(relation)
    if (balance <= 0) right.push(relation)
    else left.push(relation)
    balance += balance <= 0 ? size : -size
  }
  return [left, right]
}
