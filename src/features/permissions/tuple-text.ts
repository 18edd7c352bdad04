// Relation tuples and their two forms: JSON, as the permission server's wire has it, and text (Spec, Relation tuple).
// Pure. The rule for names that hold separators is here and nowhere else. Text that was printed reads back as it was.
//
//   tuple    namespace:object#relation@subject
//   subject  an id, or a subject set: namespace:object#relation
//
// A name that holds its own separator stands as a JSON string: `Project:"a#b"#owner@alice`. A subject is a set when it
// reads as one, so `user:alice` is an id. An id that reads as a set is quoted too: `"Organization:acme#admin"`.

import type { RelationTuple, Subject, SubjectSet } from '../../clients/permission-server.ts'

/** What a text is read as, or what is wrong with it. */
export type Read<Value> =
  | { readonly outcome: 'read'; readonly value: Value }
  | { readonly outcome: 'unreadable'; readonly problem: string }

/** The text form of a tuple. */
export function printTuple(tuple: RelationTuple): string {
  const object = `${printName(tuple.namespace, ':')}:${printName(tuple.object, '#')}`
  return `${object}#${printName(tuple.relation, '@')}@${printSubject(tuple)}`
}

/** The text form of a subject. */
export function printSubject({ subject_id, subject_set }: Subject): string {
  if (subject_set !== undefined) return printSubjectSet(subject_set)
  return isPlainId(subject_id) ? subject_id : JSON.stringify(subject_id)
}

/** The text form of a subject set, which also names a relation of an object. */
export function printSubjectSet({ namespace, object, relation }: SubjectSet): string {
  return `${printName(namespace, ':')}:${printName(object, '#')}#${printName(relation, undefined)}`
}

/** Reads `namespace:object#relation@subject`. */
export function parseTuple(text: string): Read<RelationTuple> {
  const namespace = readName(text, 0, ':')
  if (namespace === undefined) return unreadable('namespace', ':')
  const object = readName(text, namespace.end + 1, '#')
  if (object === undefined) return unreadable('object', '#')
  const relation = readName(text, object.end + 1, '@')
  if (relation === undefined) return unreadable('relation', '@')
  const subject = parseSubject(text.slice(relation.end + 1))
  const names = { namespace: namespace.name, object: object.name, relation: relation.name }
  return { outcome: 'read', value: { ...names, ...subject } }
}

/** Reads a subject: every text is one. `(namespace:object)` is a set too, as the permission server prints it. */
export function parseSubject(text: string): Subject {
  const inner = /^\((.*)\)$/s.exec(text)?.[1]
  const set = inner === undefined ? readSet(text) : (readSet(inner) ?? readSet(`${inner}#`))
  if (set !== undefined) return { subject_set: set }
  const quoted = readQuoted(text, 0)
  return { subject_id: quoted?.end === text.length ? quoted.name : text }
}

function isPlainId(id: string): boolean {
  // As the last part of an address these two would be taken for steps of a path.
  if (id === '.' || id === '..') return false
  // Nearly every id has none of these: reading it is spared.
  if (!/^["(]|:/.test(id)) return true
  return parseSubject(id).subject_id === id
}

/** A name that would not be read back as it is becomes a JSON string. */
function printName(name: string, separator: string | undefined): string {
  const isPlain = !/^["(]/.test(name) && (separator === undefined || !name.includes(separator))
  return isPlain ? name : JSON.stringify(name)
}

interface ReadName {
  readonly name: string
  /** Behind the name: where its separator stands. */
  readonly end: number
}

function readName(text: string, start: number, separator: string): ReadName | undefined {
  const quoted = readQuoted(text, start)
  if (quoted !== undefined) return text[quoted.end] === separator ? quoted : undefined
  const end = text.indexOf(separator, start)
  return end === -1 ? undefined : { name: text.slice(start, end), end }
}

function readSet(text: string): SubjectSet | undefined {
  const namespace = readName(text, 0, ':')
  const object = namespace && readName(text, namespace.end + 1, '#')
  if (namespace === undefined || object === undefined) return undefined
  const rest = text.slice(object.end + 1)
  const quoted = readQuoted(rest, 0)
  const relation = quoted?.end === rest.length ? quoted.name : rest
  return { namespace: namespace.name, object: object.name, relation }
}

function readQuoted(text: string, start: number): ReadName | undefined {
  const pattern = /"(?:[^"\\]|\\.)*"/sy
  pattern.lastIndex = start
  const [quoted] = pattern.exec(text) ?? []
  if (quoted === undefined) return undefined
  try {
    const name: unknown = JSON.parse(quoted)
    return typeof name === 'string' ? { name, end: start + quoted.length } : undefined
  } catch {
    // A quotation mark that begins no JSON string stands for itself.
    return undefined
  }
}

function unreadable(name: string, separator: string): Read<never> {
  const problem =
    `no ${JSON.stringify(separator)} behind the ${name}: the text form is namespace:object#relation@subject, ` +
    'and a name that holds its separator is a JSON string'
  return { outcome: 'unreadable', problem }
}
