// Relation tuples as callers send them: in either form, whole and storable. Pure. Whether their names are declared is
// for declared-names.ts to say.

import type { RelationTuple, Subject, SubjectSet } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import { parseTuple, printTuple } from './tuple-text.ts'

/** Spec, Limits: tuples per bulk import. */
export const TUPLES_MAX = 500
/** Of an object or a subject id, in UTF-16 units: the server is asked for them in addresses. */
export const NAME_LENGTH_MAX = 1_000
/** Columns of the permission server. */
const RELATION_LENGTH_MAX = 64

const TUPLE_FIELDS = ['namespace', 'object', 'relation', 'subject_id', 'subject_set']
const SET_FIELDS = ['namespace', 'object', 'relation']

/** The tuples of a bulk request. Throws `too_many_tuples`, and `invalid_tuple` with the index of the first bad one. */
export function readTuples(values: readonly unknown[]): RelationTuple[] {
  if (values.length > TUPLES_MAX) {
    throw new DomainError('too_many_tuples', `At most ${TUPLES_MAX} tuples, not ${values.length}.`, {
      hint: 'Send them in several requests. Nothing was changed.',
    })
  }
  return values.map((value, index) => readTuple(value, `tuples[${index}]`))
}

/** One tuple, as text or JSON; `where` begins the sentence of the error. Throws `invalid_tuple`. */
export function readTuple(value: unknown, where: string): RelationTuple {
  if (typeof value !== 'string') return checkTuple(value, where)
  const read = parseTuple(value)
  if (read.outcome === 'unreadable') throw invalidTuple(where, read.problem)
  return checkTuple(read.value, where)
}

/** Each tuple once. */
export function distinctTuples(tuples: readonly RelationTuple[]): RelationTuple[] {
  return [...new Map(tuples.map(tuple => [printTuple(tuple), tuple])).values()]
}

/** The error for a tuple that cannot be taken. */
export function invalidTuple(where: string, problem: string): DomainError {
  return new DomainError('invalid_tuple', `${where}: ${problem}.`, {
    hint:
      'A tuple is {"namespace", "object", "relation"} with either "subject_id" or "subject_set", or the text ' +
      '"namespace:object#relation@subject". Nothing was changed.',
  })
}

function checkTuple(value: unknown, where: string): RelationTuple {
  const fields = checkFields(value, TUPLE_FIELDS, where)
  const names = checkNames(fields, where)
  refuseEmpty(names.relation, 'relation', where)
  return { ...names, ...checkSubject(fields, where) }
}

function checkSubject({ subject_id, subject_set }: Fields, where: string): Subject {
  const [hasId, hasSet] = [isGiven(subject_id), isGiven(subject_set)]
  if (hasId && hasSet)
    throw invalidTuple(where, 'has both subject_id and subject_set, of which one must be left out')
  if (hasId) return { subject_id: checkName(subject_id, 'subject_id', where) }
  if (!hasSet) throw invalidTuple(where, 'has neither subject_id nor subject_set')
  const at = `${where}.subject_set`
  return { subject_set: checkNames(checkFields(subject_set, SET_FIELDS, at), at) }
}

type Fields = Readonly<Record<string, unknown>>

function checkFields(value: unknown, known: readonly string[], where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidTuple(where, 'must be an object or a text')
  const unknown = Object.keys(value).find(name => !known.includes(name))
  if (unknown !== undefined)
    throw invalidTuple(where, `knows no ${JSON.stringify(unknown.slice(0, 60))}, only ${known.join(', ')}`)
  return value as Fields
}

/** The relation of a set may be empty: then the set is the object itself. */
function checkNames({ namespace, object, relation }: Fields, where: string): SubjectSet {
  return {
    namespace: checkName(namespace, 'namespace', where),
    object: checkName(object, 'object', where),
    relation: checkText(relation, 'relation', RELATION_LENGTH_MAX, where),
  }
}

function checkName(value: unknown, field: string, where: string): string {
  const name = checkText(value, field, NAME_LENGTH_MAX, where)
  refuseEmpty(name, field, where)
  return name
}

function refuseEmpty(name: string, field: string, where: string): void {
  if (name === '') throw invalidTuple(where, `${field} is empty`)
}

function checkText(value: unknown, field: string, lengthMax: number, where: string): string {
  if (!isGiven(value)) throw invalidTuple(where, `${field} is missing`)
  if (typeof value !== 'string') throw invalidTuple(where, `${field} must be a text`)
  if (value.length > lengthMax) throw invalidTuple(where, `${field} is longer than ${lengthMax} characters`)
  if (value.includes('\0'))
    throw invalidTuple(where, `${field} holds a NUL character, which cannot be stored`)
  if (!value.isWellFormed()) throw invalidTuple(where, `${field} holds half of a surrogate pair`)
  return value
}

/** Null is nothing, as for the permission server. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
