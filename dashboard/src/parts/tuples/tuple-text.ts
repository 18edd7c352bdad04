// Relation tuples and their text form `namespace:object#relation@subject`, as the server reads and prints it
// (src/features/permissions/tuple-text.ts; test/unit/dashboard/tuple-text.test.ts holds the two together). Pure.

import type { components } from '../../../../build/api.js'

export type Tuple = components['schemas']['RelationTuple']
export type SubjectSet = NonNullable<Tuple['subject_set']>
export type Subject = Pick<Tuple, 'subject_id' | 'subject_set'>

/** A part of the text, by its characters. */
export interface Span {
  start: number
  end: number
}

/** Where each name of a tuple stands in its text; `set` where the subject is one. */
export interface TupleSpans {
  namespace: Span
  object: Span
  relation: Span
  subject: Span
  set?: { namespace: Span; object: Span; relation: Span }
}

export interface Mistake {
  problem: string
  at: Span
}

export type ReadTuple =
  | { outcome: 'read'; tuple: Tuple; spans: TupleSpans }
  | ({ outcome: 'unreadable' } & Mistake)

const NAME_LENGTH_MAX = 1_000
const RELATION_LENGTH_MAX = 64

export function printTuple(tuple: Tuple): string {
  const object = `${printName(tuple.namespace, ':')}:${printName(tuple.object, '#')}`
  return `${object}#${printName(tuple.relation, '@')}@${printSubject(tuple)}`
}

export function printSubject({ subject_id: id = '', subject_set: set }: Subject): string {
  if (set !== undefined) return printSet(set)
  const isPlain = id !== '.' && id !== '..' && parseSubject(id).subject_id === id
  return isPlain ? id : JSON.stringify(id)
}

export function printSet({ namespace, object, relation }: SubjectSet): string {
  const head = `${printName(namespace, ':')}:${printName(object, '#')}`
  return `${head}#${/^["(]/.test(relation) ? JSON.stringify(relation) : relation}`
}

/** Every text is a subject: a set where it reads as one, an id otherwise. */
export function parseSubject(text: string): Subject {
  const read = readSubject(text, 0)
  return read.set === undefined ? { subject_id: read.id } : { subject_set: read.set }
}

/** Reads a whole tuple, or says what is missing and where. */
export function readTuple(text: string): ReadTuple {
  const namespace = readName(text, 0, ':')
  if (namespace === undefined)
    return separatorMissing(text, 0, ':', 'namespace', 'Project:apollo#owner@alice')
  const object = readName(text, namespace.next, '#')
  if (object === undefined) return separatorMissing(text, namespace.next, '#', 'object', '#owner@alice')
  const relation = readName(text, object.next, '@')
  if (relation === undefined) return separatorMissing(text, object.next, '@', 'relation', '@alice')
  const subject = readSubject(text, relation.next)
  const spans: TupleSpans = {
    namespace: namespace.span,
    object: object.span,
    relation: relation.span,
    subject: { start: relation.next, end: text.length },
    ...(subject.spans && { set: subject.spans }),
  }
  const tuple: Tuple = {
    namespace: namespace.name,
    object: object.name,
    relation: relation.name,
    ...(subject.set === undefined ? { subject_id: subject.id } : { subject_set: subject.set }),
  }
  const mistake = mistakeOfNames(tuple, spans)
  return mistake === undefined ? { outcome: 'read', tuple, spans } : { outcome: 'unreadable', ...mistake }
}

/** What no tuple may hold: names that are empty, or longer than the server stores. */
export function mistakeOfNames(tuple: Tuple, spans?: TupleSpans): Mistake | undefined {
  const nowhere = { start: 0, end: 0 }
  const { subject_set: set } = tuple
  const names: [what: string, name: string, max: number, at: Span | undefined, mayBeEmpty?: boolean][] = [
    ['namespace', tuple.namespace, NAME_LENGTH_MAX, spans?.namespace],
    ['object', tuple.object, NAME_LENGTH_MAX, spans?.object],
    ['relation', tuple.relation, RELATION_LENGTH_MAX, spans?.relation],
    ...(set === undefined
      ? ([['subject', tuple.subject_id ?? '', NAME_LENGTH_MAX, spans?.subject]] as typeof names)
      : ([
          ['set’s namespace', set.namespace, NAME_LENGTH_MAX, spans?.set?.namespace],
          ['set’s object', set.object, NAME_LENGTH_MAX, spans?.set?.object],
          ['set’s relation', set.relation, RELATION_LENGTH_MAX, spans?.set?.relation, true],
        ] as typeof names)),
  ]
  for (const [what, name, max, at = nowhere, mayBeEmpty = false] of names) {
    if (name === '' && !mayBeEmpty) return { problem: `The ${what} is empty.`, at }
    if (name.length > max) return { problem: `The ${what} is longer than ${max} characters.`, at }
  }
  return undefined
}

interface Name {
  name: string
  span: Span
  /** Behind its separator. */
  next: number
}

/** A name up to its separator. One that holds its own separator stands as a JSON string. */
function readName(text: string, start: number, separator: string): Name | undefined {
  const quoted = readQuoted(text, start)
  if (quoted !== undefined && text[quoted.end] !== separator) return undefined
  const end = quoted?.end ?? text.indexOf(separator, start)
  if (end === -1) return undefined
  return { name: quoted?.name ?? text.slice(start, end), span: { start, end }, next: end + 1 }
}

function readSubject(text: string, start: number) {
  const isWrapped = text[start] === '(' && text.endsWith(')') && text.length > start + 1
  const set = isWrapped
    ? (readSet(text.slice(0, -1), start + 1) ?? readSet(`${text.slice(0, -1)}#`, start + 1))
    : readSet(text, start)
  if (set !== undefined) return { id: undefined, ...set }
  const quoted = readQuoted(text, start)
  return {
    id: quoted?.end === text.length ? quoted.name : text.slice(start),
    set: undefined,
    spans: undefined,
  }
}

function readSet(text: string, start: number): { set: SubjectSet; spans: TupleSpans['set'] } | undefined {
  const namespace = readName(text, start, ':')
  const object = namespace && readName(text, namespace.next, '#')
  if (namespace === undefined || object === undefined) return undefined
  const quoted = readQuoted(text, object.next)
  const relation = quoted?.end === text.length ? quoted.name : text.slice(object.next)
  return {
    set: { namespace: namespace.name, object: object.name, relation },
    spans: {
      namespace: namespace.span,
      object: object.span,
      relation: { start: object.next, end: text.length },
    },
  }
}

function readQuoted(text: string, start: number): { name: string; end: number } | undefined {
  const pattern = /"(?:[^"\\]|\\.)*"/sy
  pattern.lastIndex = start
  const [quoted] = pattern.exec(text) ?? []
  if (quoted === undefined) return undefined
  try {
    return { name: String(JSON.parse(quoted)), end: start + quoted.length }
  } catch {
    // A quotation mark that begins no JSON string stands for itself.
    return undefined
  }
}

function printName(name: string, separator: string): string {
  return /^["(]/.test(name) || name.includes(separator) ? JSON.stringify(name) : name
}

function separatorMissing(
  text: string,
  start: number,
  separator: string,
  what: string,
  example: string,
): ReadTuple {
  const problem = `A “${separator}” is missing behind the ${what}, as in ${example}.`
  return { outcome: 'unreadable', problem, at: { start, end: text.length } }
}
