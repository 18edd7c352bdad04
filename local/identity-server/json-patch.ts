// JSON Patch (RFC 6902) as Kratos takes it: only add, replace and remove; replace adds what is missing; objects on the
// way are made. Pure: answers a changed copy or throws.

import { isJsonObject, type Json, type JsonObject } from './context.ts'

/** The patch cannot be applied; nothing was. The message is for the caller. */
export class PatchError extends Error {}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value: Json
}

/** Applies the patch to a copy. `isDenied` is asked for each path in lower case. Null and `[]` change nothing. */
export function applyPatch(document: Json, patch: Json, isDenied: (path: string) => boolean): Json {
  if (patch !== null && !Array.isArray(patch))
    throw new PatchError(`json: cannot unmarshal ${typeof patch} into Go value of type jsonpatch.Patch`)
  const operations = (patch ?? []).map(readOperation)
  for (const { path } of operations) {
    if (isDenied(path.toLowerCase())) throw new PatchError(`patch includes denied path: ${path}`)
  }
  return operations.reduce(applyOperation, structuredClone(document))
}

function readOperation(raw: Json): Operation {
  if (!isJsonObject(raw)) throw new PatchError('invalid operation: an operation is an object')
  const { op, path, value } = raw
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw new PatchError(`unsupported operation: ${typeof op === 'string' ? op : 'unknown'}`)
  if (typeof path !== 'string')
    throw new PatchError(`invalid operation ${JSON.stringify(raw)}: failed to decode 'path': missing value`)
  if (op !== 'remove' && value === undefined)
    throw new PatchError(`invalid operation ${JSON.stringify(raw)}: failed to decode 'value': missing value`)
  return { op, path, value: value ?? null }
}

function applyOperation(document: Json, { op, path, value }: Operation): Json {
  if (path === '') {
    if (op === 'remove') throw new PatchError("error in remove for path: '': missing value")
    return structuredClone(value)
  }
  if (!path.startsWith('/'))
    throw new PatchError(`${op} operation does not apply: doc is missing path: "${path}"`)
  const keys = path.slice(1).split('/').map(unescapeKey)
  const last = keys.pop() ?? ''
  const parent = walk(document, keys, op === 'remove' ? undefined : last, path)
  if (Array.isArray(parent)) changeList(parent, last, op, value, path)
  else changeObject(parent, last, op, value, path)
  return document
}

/** The container that the keys lead to; with `made` (the key after them) what is missing on the way is made. */
function walk(
  document: Json,
  keys: readonly string[],
  made: string | undefined,
  path: string,
): JsonObject | Json[] {
  let at = document
  for (const [i, key] of keys.entries()) {
    let next = child(at, key)
    if (next === undefined || next === null) {
      if (made === undefined || !isJsonObject(at)) throw missing(path)
      next = isIndex(keys[i + 1] ?? made) ? [] : {}
      setOwn(at, key, next)
    }
    at = next
  }
  if (Array.isArray(at) || isJsonObject(at)) return at
  throw missing(path)
}

/** Never what an object inherits: `/__proto__/x` would otherwise change every object of this program. */
function child(at: Json, key: string): Json | undefined {
  if (Array.isArray(at)) return /^\d+$/.test(key) ? at[Number(key)] : undefined
  return isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
}

function setOwn(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function changeObject(object: JsonObject, key: string, op: Operation['op'], value: Json, path: string): void {
  if (op !== 'remove') setOwn(object, key, structuredClone(value))
  else if (Object.hasOwn(object, key)) delete object[key]
  else throw missing(path)
}

function changeList(list: Json[], key: string, op: Operation['op'], value: Json, path: string): void {
  const index = key === '-' && op === 'add' ? list.length : Number(/^\d{1,9}$/.exec(key)?.[0] ?? -1)
  const bound = op === 'add' ? list.length : list.length - 1
  if (index < 0 || index > bound)
    throw new PatchError(`error in ${op} for path: '${path}': invalid index referenced`)
  if (op === 'remove') list.splice(index, 1)
  else list.splice(index, op === 'add' ? 0 : 1, structuredClone(value))
}

function missing(path: string): PatchError {
  return new PatchError(`error for path: '${path}': missing value`)
}

function isIndex(key: string): boolean {
  return key === '-' || /^\d+$/.test(key)
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
