// Relation tuples as the wire has them: read from JSON and from queries, and the keys by which the
// database finds them. Pure.

import { hash } from 'node:crypto'
import * as z from 'zod'
import { Text } from '../service/json-body.ts'
import { WireError } from '../service/wire-error.ts'

export interface SubjectSet {
  readonly namespace: string
  readonly object: string
  readonly relation: string
}

/** With both, the id counts. */
export interface Subject {
  readonly subject_id?: string | undefined
  readonly subject_set?: SubjectSet | undefined
}

/** From a body it may have no subject. */
export interface Tuple extends SubjectSet, Subject {}

/** What is absent is no filter; what is empty is one. */
export interface TupleFilter extends Partial<SubjectSet>, Subject {}

export const FILTER_KEYS = [
  ...['namespace', 'object', 'relation', 'subject_id'],
  ...['subject_set.namespace', 'subject_set.object', 'subject_set.relation'],
] as const
const SET_KEYS = FILTER_KEYS.filter(key => key.startsWith('subject_set.'))

/** The same for equal parts only, whatever they hold: half of a SHA-256, spelled as Postgres spells a uuid. */
function keyOf(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts))
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function setKey({ namespace, object, relation }: SubjectSet): string {
  return keyOf(namespace, object, relation)
}

export function objectKey(object: string): string {
  return keyOf('object', object)
}

/** Of a subject set the key of that set; throws the 400 of no subject. */
export function subjectKey({ subject_id, subject_set }: Subject): string {
  if (subject_id !== undefined) return keyOf(subject_id)
  if (subject_set === undefined) throw noSubject()
  return setKey(subject_set)
}

export function noSubject(): WireError {
  return new WireError(400, { message: 'subject is not allowed to be nil' })
}

const SetIn = z.object({ namespace: Text, object: Text, relation: Text })

/** A tuple of a body. What is missing is empty, but for the subject. */
export const TupleIn = SetIn.extend({
  subject_id: z
    .string()
    .nullish()
    .transform(id => id ?? undefined),
  subject_set: SetIn.nullish().transform(set => set ?? undefined),
})

/** The filter of a query; throws the 400s of a subject that is given in half, twice or in the old way. */
export function readFilter(query: URLSearchParams): TupleFilter {
  if (query.has('subject')) throw new WireError(400)
  const parts = Object.fromEntries(
    ['namespace', 'object', 'relation'].flatMap(key => (query.has(key) ? [[key, query.get(key) ?? '']] : [])),
  )
  return { ...parts, ...readSubject(query) }
}

function readSubject(query: URLSearchParams): Subject {
  const given = SET_KEYS.filter(key => query.has(key))
  if (query.has('subject_id')) {
    if (given.length === 0) return { subject_id: query.get('subject_id') ?? '' }
    throw new WireError(400, { message: 'exactly one of subject_set or subject_id has to be provided' })
  }
  if (given.length === 0) return {}
  if (given.length < SET_KEYS.length) {
    const message = 'incomplete subject, provide "subject_id" or a complete "subject_set.*"'
    throw new WireError(400, { message })
  }
  const [namespace = '', object = '', relation = ''] = SET_KEYS.map(key => query.get(key) ?? '')
  return { subject_set: { namespace, object, relation } }
}

/** A whole tuple of a query; throws the 400s of `readFilter` and those of missing parts. */
export function readTuple(query: URLSearchParams): Tuple {
  const { namespace, object, relation, ...subject } = readFilter(query)
  if (subject.subject_id === undefined && subject.subject_set === undefined) throw noSubject()
  if (namespace === undefined || object === undefined || relation === undefined) {
    const message = 'incomplete tuple, provide "namespace", "object", "relation", and a subject'
    throw new WireError(400, { message })
  }
  return { namespace, object, relation, ...subject }
}
