// A file of relation tuples, read in the browser: text lines, JSON lines, or JSON as one list. Pure.

import { type Namespace, undeclaredName } from '../../../parts/tuples/declared-names.ts'
import {
  type Mistake,
  mistakeOfNames,
  printTuple,
  readTuple,
  type Tuple,
} from '../../../parts/tuples/tuple-text.ts'

export interface ImportEntry {
  /** Of the line in the file, or of the entry in a JSON list; from 1. */
  number: number
  text: string
  tuple?: Tuple
  mistake?: Mistake
  /** The number of the entry that is the same tuple. */
  sameAs?: number
}

export interface ReadImport {
  kind: 'lines' | 'list'
  entries: ImportEntry[]
}

/** Empty lines and those that begin with `//` or `#` are passed over. */
export function readImport(text: string, namespaces: readonly Namespace[]): ReadImport {
  const list = readList(text)
  const entries =
    list?.map((value, i) => readEntry(i + 1, value)) ??
    text
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .flatMap((line, i) => {
        const trimmed = line.trim()
        return trimmed === '' || /^(\/\/|#)/.test(trimmed) ? [] : [readLine(i + 1, trimmed)]
      })
  const seen = new Map<string, number>()
  for (const entry of entries) {
    if (entry.tuple === undefined) continue
    const mistake = undeclaredName(entry.tuple, namespaces, 'store', spansOf(entry.text))
    if (mistake !== undefined) {
      entry.mistake = mistake
      delete entry.tuple
      continue
    }
    const printed = printTuple(entry.tuple)
    const first = seen.get(printed)
    if (first === undefined) seen.set(printed, entry.number)
    else entry.sameAs = first
  }
  return { kind: list === undefined ? 'lines' : 'list', entries }
}

/** A JSON list, or an object that holds one as this API and Keto have it. Undefined for anything else. */
function readList(text: string): unknown[] | undefined {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
    if (Array.isArray(value)) return value
    if (typeof value !== 'object' || value === null) return undefined
    const { tuples, relation_tuples, data } = value as Record<string, unknown>
    const list = tuples ?? relation_tuples ?? data ?? [value]
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

function readLine(number: number, line: string): ImportEntry {
  if (!line.startsWith('{')) return readEntry(number, line)
  try {
    return { ...readEntry(number, JSON.parse(line.replace(/,$/, ''))), text: line }
  } catch {
    return { number, text: line, mistake: whole(line, 'This is no JSON.') }
  }
}

function readEntry(number: number, value: unknown): ImportEntry {
  if (typeof value === 'string') {
    const read = readTuple(value)
    return read.outcome === 'read'
      ? { number, text: value, tuple: read.tuple }
      : { number, text: value, mistake: read }
  }
  const problem = problemOfJson(value)
  if (problem !== undefined) {
    const text = JSON.stringify(value) ?? ''
    return { number, text, mistake: whole(text, problem) }
  }
  const tuple = withoutNulls(value as Tuple)
  const mistake = mistakeOfNames(tuple)
  const text = printTuple(tuple)
  return mistake === undefined
    ? { number, text, tuple }
    : { number, text, mistake: whole(text, mistake.problem) }
}

const NAMES = ['namespace', 'object', 'relation']

function problemOfJson(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'An entry is a tuple’s text, or an object with its fields.'
  const fields = value as Record<string, unknown>
  const unknown = Object.keys(fields).find(name => ![...NAMES, 'subject_id', 'subject_set'].includes(name))
  if (unknown !== undefined) return `A tuple has no field “${unknown}”.`
  const missing = NAMES.find(name => typeof fields[name] !== 'string')
  if (missing !== undefined) return `The ${missing} is missing, or no text.`
  const { subject_id: id = null, subject_set: set = null } = fields
  if ((id === null) === (set === null)) return 'It needs a subject_id or a subject_set, and only one.'
  if (set === null) return typeof id === 'string' ? undefined : 'The subject_id is no text.'
  const isSet = typeof set === 'object' && NAMES.every(name => typeof Reflect.get(set, name) === 'string')
  return isSet ? undefined : 'The subject_set needs namespace, object and relation, all texts.'
}

function withoutNulls({ namespace, object, relation, subject_id, subject_set }: Tuple): Tuple {
  const names = { namespace, object, relation }
  return subject_set ? { ...names, subject_set } : { ...names, subject_id: subject_id ?? '' }
}

function spansOf(text: string) {
  const read = readTuple(text)
  return read.outcome === 'read' ? read.spans : undefined
}

function whole(text: string, problem: string): Mistake {
  return { problem, at: { start: 0, end: text.length } }
}
