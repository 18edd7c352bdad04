// Whether a tuple's names are those that the permission file has, said before it is sent. The server has the last word.

import type { components } from '../../../../build/api.js'
import type { Mistake, Span, SubjectSet, Tuple, TupleSpans } from './tuple-text.ts'

export type Namespace = components['schemas']['NamespaceList']['data'][number]

/** A permit can be asked about, but not be stored. */
export type TupleUse = 'store' | 'ask'

/** The first name that the server would refuse, with the nearest that it has. */
export function undeclaredName(
  tuple: Tuple,
  namespaces: readonly Namespace[],
  use: TupleUse,
  spans?: TupleSpans,
): Mistake | undefined {
  const { subject_set: set, subject_id: id } = tuple
  return (
    undeclaredIn(tuple, namespaces, use, spans) ??
    (set && undeclaredIn(set, namespaces, 'ask', spans?.set)) ??
    (use === 'store' && spans !== undefined && id !== undefined
      ? objectAsId(id, namespaces, spans.subject)
      : undefined)
  )
}

function undeclaredIn(
  { namespace: name, relation }: SubjectSet,
  namespaces: readonly Namespace[],
  use: TupleUse,
  spans: { namespace: Span; relation: Span } | undefined,
): Mistake | undefined {
  const nowhere = { start: 0, end: 0 }
  const namespace = namespaces.find(each => each.name === name)
  if (namespace === undefined) {
    const names = namespaces.map(each => each.name)
    return {
      problem: `There is no namespace “${name}”. ${suggestion(name, names)}`,
      at: spans?.namespace ?? nowhere,
    }
  }
  const relations = namespace.relations.filter(({ declared }) => declared).map(each => each.name)
  const isFree = !namespace.in_file || relations.length + namespace.permits.length === 0
  if (isFree || relation === '' || relations.includes(relation)) return undefined
  const at = spans?.relation ?? nowhere
  const isPermit = namespace.permits.includes(relation)
  if (isPermit && use === 'ask') return undefined
  if (isPermit) {
    const rule = namespace.rules.find(({ permit }) => permit === relation)?.follows_from
    return { problem: `${relation} is a permit: it follows from ${rule}. Give one of these relations.`, at }
  }
  const known = use === 'ask' ? [...relations, ...namespace.permits] : relations
  return { problem: `${name} has no relation “${relation}”. ${suggestion(relation, known)}`, at }
}

/** `Organization:acme` without `#`: the object, or an id? The server does not guess either. */
function objectAsId(id: string, namespaces: readonly Namespace[], at: Span): Mistake | undefined {
  // In quotation marks it is an id, and is longer than itself.
  if (at.end - at.start !== id.length) return undefined
  if (!namespaces.some(({ name, in_file: inFile }) => inFile && id.startsWith(`${name}:`))) return undefined
  return {
    problem: `Write ${id}#member for a relation’s holders, ${id}# for the object, or "${id}" for an id.`,
    at,
  }
}

function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known)
  return nearest === undefined ? `There is ${known.join(', ') || 'none'}.` : `Did you mean ${nearest}?`
}

/** The most similar of some names, if any is similar at all. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map(each => ({ each, distance: distance(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [first] = ranked
  return first !== undefined && first.distance <= Math.max(1, name.length / 2) ? first.each : undefined
}

/** How many letters must be put in, taken out or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...from.slice(0, 64)].entries()) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + (letter === to[j] ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
