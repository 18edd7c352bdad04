// Relation tuples in words: "ann is admin of acme, whose admins are owners of apollo". Pure.

import { ownValue } from '../own-value.ts'
import { parseSubject, readTuple, type Subject, type Tuple } from './tuple-text.ts'

/** `admins`, `parties`, `staff` as it is where it ends in an s already. */
export function plural(relation: string): string {
  if (/s$/i.test(relation)) return relation
  if (/[^aeiou]y$/i.test(relation)) return `${relation.slice(0, -1)}ies`
  return `${relation}s`
}

/** `alice`, `admins of acme`, or the object itself: `acme`. */
export function subjectWords({ subject_id: id, subject_set: set }: Subject): string {
  if (set === undefined) return id ?? ''
  return set.relation === '' ? set.object : `${plural(set.relation)} of ${set.object}`
}

export function subjectTextWords(text: string): string {
  return subjectWords(parseSubject(text))
}

/** The tuples of a chain that can be read, from the object to the subject. */
export function tuplesOf(via: readonly string[]): Tuple[] {
  return via.flatMap(text => {
    const read = readTuple(text)
    return read.outcome === 'read' ? [read.tuple] : []
  })
}

/**
 * Why somebody has `asked` on an object, from their side: `via` are tuples in their text form, from the object to the
 * subject.
 */
export function chainWords(via: readonly string[], asked?: string): string {
  const chain = tuplesOf(via).reverse()
  const [nearest, ...further] = chain
  if (nearest === undefined) return ''
  const isMany = nearest.subject_set !== undefined && nearest.subject_set.relation !== ''
  const links = further.map((tuple, i) => linkWords(tuple, chain[i] ?? nearest))
  const [last] = chain.slice(-1)
  const given =
    asked === undefined || asked === last?.relation ? '' : `; that gives ${asked} on ${last?.object}`
  return [`${subjectWords(nearest)} ${holds(nearest, isMany)}`, ...links].join(', ') + given
}

function linkWords(tuple: Tuple, before: Tuple): string {
  const { subject_set: set } = tuple
  if (set === undefined || set.relation === '') return `which ${holds(tuple, false)}`
  if (set.relation === before.relation) return `whose ${plural(set.relation)} ${holds(tuple, true)}`
  return `and whoever has ${set.relation} on ${set.object} ${holds(tuple, false)}`
}

function holds({ relation, object }: Tuple, isMany: boolean): string {
  return isMany ? `are ${plural(relation)} of ${object}` : `is ${relation} of ${object}`
}

/** `User` is "a User", `SubjectSet<Organization, "admin">` "the admins of an Organization". */
export function typeWords(type: string): string {
  const [, namespace = type, relation] = /^SubjectSet<(\w+), "(\w+)">$/.exec(type) ?? []
  const one = `${/^[aeio]/i.test(namespace) ? 'an' : 'a'} ${namespace}`
  return relation === undefined ? one : `the ${plural(relation)} of ${one}`
}

/** Why an answer may lack something. */
export function limitWords(limit: string | null): string {
  return ownValue(LIMITS, limit ?? '') ?? 'A limit was reached.'
}

const LIMITS: Readonly<Record<string, string>> = {
  tuples: 'There are more tuples than one answer reads.',
  calls: 'It takes more calls to the permission server than one answer may make.',
  size: 'The answer is too large.',
  undeclared: 'A tuple on the way names a relation that the permission file does not declare.',
  operator:
    'It is a permit with “and” or “not”: who has it cannot be listed. A check still answers for one person.',
  width: 'Over 100 groups have one relation: the permission server follows only 99 of them.',
  depth:
    'Groups lie in groups deeper than the permission server looks (PERMISSION_DEPTH_MAX): its checks say no beyond ' +
    'that.',
}
