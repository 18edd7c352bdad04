// Relation tuples as callers send them: in either form, whole and storable. Pure. Whether their names are declared is
// for declared-names.ts to say.

import type { RelationTuple, Subject, SubjectSet } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import type { LabelledTuple } from './declared-names.ts'
import { invalidTuple } from './tuple-errors.ts'
import { parseSubject, parseTuple, printTuple } from './tuple-text.ts'

/** Spec, Limits: tuples per bulk import. */
export const TUPLES_MAX = 500
/** Of an object or a subject id, in UTF-16 units: the server is asked for them in addresses. */
export const NAME_LENGTH_MAX = 1_000
/** Columns of the permission server. */
export const RELATION_LENGTH_MAX = 64

const TUPLE_FIELDS = ['namespace', 'object', 'relation', 'subject_id', 'subject_set']
const SET_FIELDS = ['namespace', 'object', 'relation']

/** The tuples of a bulk request. Throws `too_many_tuples`, and `invalid_tuple` with the index of the first bad one. */
export function readTuples(values: readonly unknown[]): LabelledTuple[] {
  if (values.length > TUPLES_MAX) {
    throw new DomainError('too_many_tuples', `At most ${TUPLES_MAX} tuples, not ${values.length}.`, {
      hint: 'Send them in several requests. Nothing was changed.',
    })
  }
  return values.map((value, index) => readTuple(value, `tuples[${index}]`))
}

/** One tuple, as text or JSON. Throws `invalid_tuple`. */
export function readTuple(value: unknown, label: string): LabelledTuple {
  if (typeof value !== 'string') return { label, tuple: checkedTuple(value, label) }
  const read = parseTuple(value)
  if (read.outcome === 'unreadable') throw invalidTuple(label, read.problem)
  return { label, tuple: checkedTuple(read.value, label), text: value }
}

/** A subject in its text form. Throws `invalid_tuple` for one that no tuple could hold. */
export function readSubject(text: string, label: string): Subject {
  return checkedSubject({ ...parseSubject(text) }, label)
}

/** Each tuple once. */
export function distinctTuples(tuples: readonly LabelledTuple[]): RelationTuple[] {
  return [...new Map(tuples.map(({ tuple }) => [printTuple(tuple), tuple])).values()]
}

function checkedTuple(value: unknown, label: string): RelationTuple {
  const fields = checkedFields(value, TUPLE_FIELDS, label)
  const names = checkedNames(fields, label)
  refuseEmpty(names.relation, 'relation', label)
  return { ...names, ...checkedSubject(fields, label) }
}

function checkedSubject({ subject_id, subject_set }: Fields, label: string): Subject {
  const [hasId, hasSet] = [isGiven(subject_id), isGiven(subject_set)]
  if (hasId && hasSet)
    throw invalidTuple(label, 'has both subject_id and subject_set, of which one must be left out')
  if (hasId) return { subject_id: checkedName(subject_id, 'subject_id', label) }
  if (!hasSet) throw invalidTuple(label, 'has neither subject_id nor subject_set')
  const at = `${label}.subject_set`
  return { subject_set: checkedNames(checkedFields(subject_set, SET_FIELDS, at), at) }
}

type Fields = Readonly<Record<string, unknown>>

function checkedFields(value: unknown, known: readonly string[], label: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidTuple(label, 'must be an object or a text')
  const unknown = Object.keys(value).find(name => !known.includes(name))
  if (unknown !== undefined)
    throw invalidTuple(label, `knows no ${JSON.stringify(unknown.slice(0, 60))}, only ${known.join(', ')}`)
  return value as Fields
}

/** The relation of a set may be empty: then the set is the object itself. */
function checkedNames({ namespace, object, relation }: Fields, label: string): SubjectSet {
  return {
    namespace: checkedName(namespace, 'namespace', label),
    object: checkedName(object, 'object', label),
    relation: checkedText(relation, 'relation', RELATION_LENGTH_MAX, label),
  }
}

function checkedName(value: unknown, field: string, label: string): string {
  const name = checkedText(value, field, NAME_LENGTH_MAX, label)
  refuseEmpty(name, field, label)
  return name
}

function refuseEmpty(name: string, field: string, label: string): void {
  if (name === '') throw invalidTuple(label, `${field} is empty`)
}

function checkedText(value: unknown, field: string, lengthMax: number, label: string): string {
  if (!isGiven(value)) throw invalidTuple(label, `${field} is missing`)
  if (typeof value !== 'string') throw invalidTuple(label, `${field} must be a text`)
  if (value.length > lengthMax) throw invalidTuple(label, `${field} is longer than ${lengthMax} characters`)
  if (value.includes('\0'))
    throw invalidTuple(label, `${field} holds a NUL character, which cannot be stored`)
  if (!value.isWellFormed()) throw invalidTuple(label, `${field} holds half of a surrogate pair`)
  return value
}

/** Null is nothing, as for the permission server. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
