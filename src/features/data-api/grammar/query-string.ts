// From a URL's query string to the AST: strict decoding, reserved parameters, everything else a filter. Pure.

import { DomainError } from '../../../errors.ts'
import { nearestName } from '../../../lib/nearest-name.ts'
import { CONDITIONS_MAX } from '../limits.ts'
import { refuseUnstorable } from '../storable-text.ts'
import { parseCondition, parseLogicTree } from './filters.ts'
import { parseField, parseNames, parseWhole } from './grammar.ts'
import { parseOrder } from './order.ts'
import type { DataQuery, Filter } from './query-ast.ts'
import { parseSelect } from './select.ts'

/** Parameters with a meaning of their own; each may come once. */
const SINGLE = ['select', 'order', 'limit', 'offset', 'columns', 'on_conflict'] as const
type SingleParameter = (typeof SINGLE)[number]
const TREES: ReadonlySet<string> = new Set(['and', 'or', 'not.and', 'not.or'])

/**
 * Reads `?a=b&c=d`. Throws `invalid_parameter` for bytes that are no UTF-8 and for NUL, `invalid_select`,
 * `invalid_filter` and `invalid_order` for what the grammar does not allow.
 */
export function parseQueryString(search: string): DataQuery {
  const single = new Map<SingleParameter, string>()
  const filters: Filter[] = []
  for (const [name, value] of decodePairs(search)) {
    if (isSingle(name)) {
      if (single.has(name)) throw invalidParameter(`"${name}" is given twice.`, `Send "${name}" once.`)
      single.set(name, value)
      continue
    }
    filters.push(TREES.has(name) ? parseLogicTree(name, value) : parseFieldFilter(name, value))
    if (filters.length > CONDITIONS_MAX) break
  }
  refuseTooMany(filters)
  const columns = single.get('columns')
  const onConflict = single.get('on_conflict')
  return {
    select: parseSelect(single.get('select') ?? ''),
    filters,
    order: parseOrder(single.get('order') ?? ''),
    limit: single.get('limit'),
    offset: single.get('offset'),
    columns: columns === undefined ? undefined : parseNames('columns', columns),
    onConflict: onConflict === undefined ? undefined : parseNames('on_conflict', onConflict),
  }
}

function isSingle(name: string): name is SingleParameter {
  return SINGLE.some(parameter => parameter === name)
}

/**
 * The pairs one after the other, so that a reader can stop at too many. `+` is a space, as in forms. `URLSearchParams`
 * is no use: it replaces broken bytes silently.
 */
export function* decodePairs(search: string): Generator<[name: string, value: string]> {
  let start = search.startsWith('?') ? 1 : 0
  while (start < search.length) {
    const found = search.indexOf('&', start)
    const end = found < 0 ? search.length : found
    if (end > start) yield decodePair(search.slice(start, end))
    start = end + 1
  }
}

function decodePair(part: string): [name: string, value: string] {
  const separator = part.indexOf('=')
  if (separator < 0) return [decode(part), '']
  return [decode(part.slice(0, separator)), decode(part.slice(separator + 1))]
}

/** A percent sign without two digits stands for itself, as in `like.%an%` (URL standard, percent-decode). */
const LONE_PERCENT = /%(?![0-9a-f]{2})/gi

function decode(text: string): string {
  let decoded: string
  try {
    decoded = /[%+]/.test(text)
      ? decodeURIComponent(text.replaceAll('+', ' ').replace(LONE_PERCENT, '%25'))
      : text
  } catch {
    // The only error of decodeURIComponent that is left: bytes that are no UTF-8.
    throw invalidParameter(
      `"${text.slice(0, 100)}" is not valid percent-encoded UTF-8.`,
      'Encode names and values with encodeURIComponent; a percent sign itself is %25.',
    )
  }
  refuseUnstorable('invalid_parameter', 'The query string', decoded)
  return decoded
}

function parseFieldFilter(name: string, value: string): Filter {
  const field = parseWhole('invalid_filter', name, name, cursor => {
    const parsed = parseField(cursor)
    if (cursor.next === '.') refuseRelated(name, parsed.name)
    return parsed
  })
  try {
    return parseCondition(name, value, field)
  } catch (err) {
    const meant = nearestName(name, SINGLE)
    if (!(err instanceof DomainError) || meant === undefined) throw err
    throw new DomainError('invalid_filter', err.message, {
      detail: err.detail,
      hint: `Perhaps you meant the parameter "${meant}". "${name}" was read as a filter on a column of that name.`,
    })
  }
}

function refuseRelated(parameter: string, resource: string): never {
  throw new DomainError('invalid_filter', `"${resource}" is not an embedded resource in this request.`, {
    detail: `The parameter "${parameter}" belongs to a related table, and embedding is not there yet.`,
    hint: `If the column's name holds a dot, put it in double quotes: "${parameter}".`,
  })
}

function refuseTooMany(filters: readonly Filter[]): void {
  if (countConditions(filters) <= CONDITIONS_MAX) return
  throw new DomainError('invalid_filter', `A request takes at most ${CONDITIONS_MAX} conditions.`, {
    hint: 'Use in.(...) for many values of one column, or a function for a complex question.',
  })
}

function countConditions(filters: readonly Filter[]): number {
  return filters.reduce(
    (sum, filter) => sum + (filter.kind === 'tree' ? countConditions(filter.filters) : 1),
    0,
  )
}

function invalidParameter(message: string, hint: string): DomainError {
  return new DomainError('invalid_parameter', message, { hint })
}
