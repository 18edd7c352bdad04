// JSON Patch (RFC 6902) as Hydra and Kratos take it: add, replace and remove. Replace adds what is missing in an
// object, and objects on the way are made. Pure: answers a changed copy or throws.

import { isJsonObject, type Json, type JsonObject } from './json.ts'

/** The patch cannot be applied; nothing was. */
export class PatchError extends Error {}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value: Json
}

/** Applies `patch` to a copy; null and `[]` change nothing. `isDenied` is asked for each path, in lower case. */
export function applyPatch(document: Json, patch: Json, isDenied: (path: string) => boolean): Json {
  if (patch !== null && !Array.isArray(patch)) throw new PatchError('a patch is a list')
  const operations = (patch ?? []).map(readOperation)
  const denied = operations.find(({ path }) => isDenied(path.toLowerCase()))
  if (denied) throw new PatchError(`patch includes denied path: ${denied.path}`)
  return operations.reduce(changed, structuredClone(document))
}

function readOperation(raw: Json): Operation {
  const { op, path, value } = isJsonObject(raw) ? raw : {}
  const isKnown = op === 'add' || op === 'replace' || op === 'remove'
  if (!isKnown || typeof path !== 'string' || (op !== 'remove' && value === undefined))
    throw new PatchError(`no operation: ${JSON.stringify(raw)}`)
  return { op, path, value: value ?? null }
}

/** The document, changed in place, or what stands in its place. */
function changed(document: Json, { op, path, value }: Operation): Json {
  const failed = () => new PatchError(`${op} leads nowhere: ${path}`)
  const [first, ...keys] = path.split('/').map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = keys.pop()
  if (first !== '' || (last === undefined && (op === 'remove' || !isContainer(value)))) throw failed()
  if (last === undefined) return structuredClone(value)
  let at: Json | undefined = document
  for (const key of keys) {
    if (op !== 'remove' && isJsonObject(at) && (child(at, key) ?? null) === null) set(at, key, {})
    at = child(at, key)
  }
  if (Array.isArray(at)) changeList(at, last, { op, path, value })
  else if (!isJsonObject(at) || (op === 'remove' && !Object.hasOwn(at, last))) throw failed()
  else if (op === 'remove') delete at[last]
  else set(at, last, structuredClone(value))
  return document
}

function changeList(list: Json[], key: string, { op, value }: Operation): void {
  const index = op === 'add' && key === '-' ? list.length : indexOf(key)
  const length = op === 'add' ? list.length + 1 : list.length
  if (!(index < length)) throw new PatchError(`no such index: ${key}`)
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [structuredClone(value)]))
}

/** Never what an object inherits. */
function child(at: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(at)) return at[indexOf(key)]
  return isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
}

/** Never an assignment: `__proto__` would change what the object inherits. */
function set(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function indexOf(key: string): number {
  return /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Number.NaN
}

function isContainer(value: Json): boolean {
  return Array.isArray(value) || isJsonObject(value)
}
