// What changed between two states of a record, field by field. Pure.

export type Change = 'added' | 'removed' | 'changed' | 'same'

export interface Difference {
  /** `token.lifetimes.access`, `redirect_uris[2]`; empty for a value that is no record. */
  path: string
  change: Change
  before?: unknown
  after?: unknown
}

type Fields = Record<string, unknown>

/**
 * Every field of both states, in their order. Records inside of records are opened where both states have them. Texts
 * and numbers in a list are compared as a set with order: what is gone, what is new; other lists by their places.
 */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isFields(before) && isFields(after)) return ofFields(before, after, path)
  if (path === '' && isFields(after) && isNothing(before)) return ofFields({}, after, path)
  if (path === '' && isFields(before) && isNothing(after)) return ofFields(before, {}, path)
  if (path === '' && isNothing(before) && isNothing(after)) return []
  if (Array.isArray(before) && Array.isArray(after) && !isSame(before, after))
    return ofLists(before, after, path)
  return [{ path, change: isSame(before, after) ? 'same' : 'changed', before, after }]
}

function ofFields(before: Fields, after: Fields, path: string): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name): Difference[] => {
    const at = path === '' ? name : `${path}.${name}`
    if (!Object.hasOwn(before, name)) return [{ path: at, change: 'added', after: after[name] }]
    if (!Object.hasOwn(after, name)) return [{ path: at, change: 'removed', before: before[name] }]
    return differences(before[name], after[name], at)
  })
}

function ofLists(before: readonly unknown[], after: readonly unknown[], path: string): Difference[] {
  if (![...before, ...after].every(isPlain)) {
    return ofFields({ ...before }, { ...after }, '').map(each => ({
      ...each,
      path: each.path.replace(/^\d+/, place => `${path}[${place}]`),
    }))
  }
  const removed = without(before, after).map(
    (value): Difference => ({
      path,
      change: 'removed',
      before: value,
    }),
  )
  const added = without(after, before).map((value): Difference => ({ path, change: 'added', after: value }))
  const found = [...removed, ...added]
  return found.length > 0 ? found : [{ path, change: 'changed', before, after }]
}

/** Of the first list what the second has less often. */
function without(list: readonly unknown[], other: readonly unknown[]): unknown[] {
  const left = [...other]
  return list.filter(value => {
    const at = left.indexOf(value)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Of two values of JSON; the order of fields does not count. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSame(item, b[i]))
  if (!isFields(a) || !isFields(b)) return a === b
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(name => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}
