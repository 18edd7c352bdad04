// JSON Patch (RFC 6902) as Hydra and Kratos take it, by the same code of theirs (ory/x/jsonx): only add, replace and
// remove; replace adds what is missing unless it points into a list; containers on the way are made; list indexes may
// be negative. Pure: answers a changed copy or throws.

import { isJsonObject, type Json, type JsonObject } from './json.ts'

/** How many nulls a list is filled up with, at most. */
const PADDING_MAX = 1000

/** The patch cannot be applied; nothing was. The message says which operation and why. */
export class PatchError extends Error {}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value: Json
}
type Container = Json[] | JsonObject

/** Applies `patch` to a copy; null and `[]` change nothing. `isDenied` is asked for each path, in lower case. */
export function applyPatch(document: Json, patch: Json, isDenied: (path: string) => boolean): Json {
  if (patch !== null && !Array.isArray(patch))
    throw new PatchError(`json: cannot unmarshal ${typeof patch} into Go value of type jsonpatch.Patch`)
  const operations = (patch ?? []).map(readOperation)
  const denied = operations.find(({ path }) => isDenied(path.toLowerCase()))
  if (denied) throw new PatchError(`patch includes denied path: ${denied.path}`)
  return operations.reduce(applyOperation, structuredClone(document))
}

function readOperation(raw: Json): Operation {
  const invalid = (reason: string) => new PatchError(`invalid operation ${JSON.stringify(raw)}: ${reason}`)
  if (!isJsonObject(raw)) throw invalid('an operation is an object')
  const { op, path, value } = raw
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw new PatchError(`unsupported operation: ${typeof op === 'string' ? op : 'unknown'}`)
  if (typeof path !== 'string') throw invalid("failed to decode 'path'")
  if (op !== 'remove' && value === undefined) throw invalid("failed to decode 'value': missing value")
  return { op: op === 'replace' && !pointsIntoList(path) ? 'add' : op, path, value: value ?? null }
}

function applyOperation(document: Json, operation: Operation): Json {
  try {
    return changed(document, operation)
  } catch (err) {
    if (!(err instanceof PatchError)) throw err
    throw new PatchError(`error in ${operation.op} for path: '${operation.path}': ${err.message}`)
  }
}

/** The document, changed in place, or what stands in its place. */
function changed(document: Json, { op, path, value }: Operation): Json {
  if (path === '') {
    if (op === 'remove' || !isContainer(value)) throw new PatchError('the whole must be an object or a list')
    return structuredClone(value)
  }
  // What stands before the first slash is not looked at.
  const [first, ...keys] = path.split('/').map(unescapeKey)
  const last = keys.pop()
  if (first === undefined || last === undefined) throw new PatchError('doc is missing path: missing value')
  const parent = walk(document, keys, op === 'add' ? last : undefined)
  if (Array.isArray(parent)) changeList(parent, last, op, structuredClone(value))
  else changeObject(parent, last, op, structuredClone(value))
  return document
}

/** The container that `keys` lead to. With `next`, the key that comes after them, what is missing is made. */
function walk(document: Json, keys: readonly string[], next: string | undefined): Container {
  let at = asContainer(document)
  for (const [i, key] of keys.entries()) {
    // The place behind a list's end, where nothing is that a path could go on through.
    if (key === '-' && Array.isArray(at)) throw missing(key)
    const found = child(at, key)
    at = found === undefined || found === null ? make(at, key, keys[i + 1] ?? next) : asContainer(found)
  }
  return at
}

/** A list when the key that comes next is an index, filled up to it; else an object. */
function make(parent: Container, key: string, next: string | undefined): Container {
  if (next === undefined) throw missing(key)
  const made: Container = isIndex(next) ? nulls(Number(next) || 0) : {}
  if (Array.isArray(parent)) {
    parent.push(...nulls(Number(key) - parent.length))
    changeList(parent, key, 'add', made)
  } else changeObject(parent, key, 'add', made)
  return made
}

function nulls(count: number): null[] {
  if (count > PADDING_MAX) throw invalidIndex(String(count))
  return Array.from({ length: Math.max(count, 0) }, () => null)
}

function changeObject(object: JsonObject, key: string, op: Operation['op'], value: Json): void {
  if (op !== 'add' && !Object.hasOwn(object, key)) throw missing(key)
  if (op === 'remove') delete object[key]
  // Never an assignment: `__proto__` would change what the object inherits.
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function changeList(list: Json[], key: string, op: Operation['op'], value: Json): void {
  const length = op === 'add' ? list.length + 1 : list.length
  const index = op === 'add' && key === '-' ? list.length : indexIn(length, key)
  if (op === 'remove') list.splice(index, 1)
  else list.splice(index, op === 'add' ? 0 : 1, value)
}

/** Never what an object inherits. */
function child(at: Container, key: string): Json | undefined {
  if (!Array.isArray(at)) return Object.hasOwn(at, key) ? at[key] : undefined
  return isIndex(key) ? at.at(Number(key)) : undefined
}

function indexIn(length: number, key: string): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN
  const counted = index < 0 ? index + length : index
  if (!(counted >= 0 && counted < length)) throw invalidIndex(key)
  return counted
}

function isContainer(value: Json): value is Container {
  return Array.isArray(value) || isJsonObject(value)
}

function asContainer(value: Json): Container {
  if (isContainer(value)) return value
  throw new PatchError('a path leads through something that holds nothing')
}

function pointsIntoList(path: string): boolean {
  return isIndex(path.slice(path.lastIndexOf('/') + 1))
}

function isIndex(key: string): boolean {
  return key === '-' || /^[+-]?\d+$/.test(key)
}

function missing(key: string): PatchError {
  return new PatchError(`doc is missing key: ${key}: missing value`)
}

function invalidIndex(key: string): PatchError {
  return new PatchError(`Unable to access invalid index: ${key}: invalid index referenced`)
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
