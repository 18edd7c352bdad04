// JSON Patch (RFC 6902) as Hydra takes it: only add, replace and remove; replace adds what is missing unless it points
// into a list; containers on the way are made; list indexes may be negative. Pure: answers a changed copy or throws.

/** How many nulls a list is filled up with, at most. */
const PADDING_MAX = 1000

/** The patch cannot be applied; nothing was. */
export class PatchError extends Error {}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value: unknown
}
type Container = unknown[] | Record<string, unknown>

/** Applies `patch` to a copy of `document`; null changes nothing. `denied` are paths in lower case that must stay. */
export function applyPatch(document: unknown, patch: unknown, denied: readonly string[]): unknown {
  if (patch !== null && !Array.isArray(patch)) throw new PatchError('a patch is a list')
  const operations = (patch ?? []).map(readOperation)
  const forbidden = operations.find(({ path }) => denied.includes(path.toLowerCase()))
  if (forbidden) throw new PatchError(`patch includes denied path: ${forbidden.path}`)
  return operations.reduce(applyOperation, structuredClone(document))
}

function readOperation(raw: unknown): Operation {
  if (!isContainer(raw) || Array.isArray(raw)) throw new PatchError('an operation is an object')
  const { op, path, value } = raw
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw new PatchError(`unsupported operation: ${op}`)
  if (typeof path !== 'string') throw new PatchError("failed to decode 'path'")
  if (op !== 'remove' && value === undefined) throw new PatchError("failed to decode 'value'")
  return { op: op === 'replace' && !pointsIntoList(path) ? 'add' : op, path, value: value ?? null }
}

function applyOperation(document: unknown, { op, path, value }: Operation): unknown {
  if (path === '') {
    if (op === 'remove' || !isContainer(value)) throw new PatchError(`${op} of the whole document`)
    return structuredClone(value)
  }
  const [first, ...keys] = path.split('/').map(unescapeKey)
  const last = keys.pop()
  if (first === undefined || last === undefined) throw new PatchError(`doc is missing path: "${path}"`)
  const parent = walk(document, keys, op === 'add' ? last : undefined)
  if (Array.isArray(parent)) changeList(parent, last, op, structuredClone(value))
  else changeObject(parent, last, op, structuredClone(value))
  return document
}

/** The container that `keys` lead to. With `next`, the key that comes after them, what is missing is made. */
function walk(document: unknown, keys: readonly string[], next: string | undefined): Container {
  let at = asContainer(document)
  for (const [i, key] of keys.entries()) {
    const found = child(at, key)
    at = found === undefined || found === null ? make(at, key, keys[i + 1] ?? next) : asContainer(found)
  }
  return at
}

/** A list when the key that comes next is an index, filled up to it; else an object. */
function make(parent: Container, key: string, next: string | undefined): Container {
  if (next === undefined) throw new PatchError(`doc is missing key: ${key}`)
  const made: Container = isIndex(next) ? nulls(Number(next) || 0) : {}
  if (Array.isArray(parent)) {
    parent.push(...nulls(Number(key) - parent.length))
    changeList(parent, key, 'add', made)
  } else changeObject(parent, key, 'add', made)
  return made
}

function nulls(count: number): null[] {
  if (count > PADDING_MAX) throw new PatchError(`invalid index: ${count}`)
  return Array.from({ length: Math.max(count, 0) }, () => null)
}

function changeObject(
  object: Record<string, unknown>,
  key: string,
  op: Operation['op'],
  value: unknown,
): void {
  if (op !== 'add' && !Object.hasOwn(object, key)) throw new PatchError(`doc is missing key: ${key}`)
  if (op === 'remove') delete object[key]
  // Never an assignment: `__proto__` would change what the object inherits.
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function changeList(list: unknown[], key: string, op: Operation['op'], value: unknown): void {
  const length = op === 'add' ? list.length + 1 : list.length
  const index = op === 'add' && key === '-' ? list.length : indexIn(length, key)
  if (op === 'remove') list.splice(index, 1)
  else list.splice(index, op === 'add' ? 0 : 1, value)
}

function child(at: Container, key: string): unknown {
  if (!Array.isArray(at)) return Object.hasOwn(at, key) ? at[key] : undefined
  const index = Number(key)
  return isIndex(key) ? at.at(index) : undefined
}

function indexIn(length: number, key: string): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN
  const counted = index < 0 ? index + length : index
  if (!(counted >= 0 && counted < length)) throw new PatchError(`invalid index: ${key}`)
  return counted
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function asContainer(value: unknown): Container {
  if (isContainer(value)) return value
  throw new PatchError('a path leads through something that holds nothing')
}

function pointsIntoList(path: string): boolean {
  return isIndex(path.slice(path.lastIndexOf('/') + 1))
}

function isIndex(key: string): boolean {
  return key === '-' || /^[+-]?\d+$/.test(key)
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
