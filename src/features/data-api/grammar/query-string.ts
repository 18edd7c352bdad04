// From a URL's query string to the AST: strict decoding, reserved parameters, everything else a filter. Pure.

import { DomainError } from '../../../errors.ts'
import { nearestName } from '../../../lib/nearest-name.ts'
import { CONDITIONS_MAX, EMBED_DEPTH_MAX } from '../limits.ts'
import { refuseUnstorable } from '../storable-text.ts'
import { parseCondition, parseLogicTree } from './filters.ts'
import { parseField, parseName, parseNames, parseWhole } from './grammar.ts'
import { beginsWithOperator } from './operators.ts'
import { parseOrder } from './order.ts'
import type { DataQuery, EmbeddedQuery, Filter } from './query-ast.ts'
import { parseSelect } from './select.ts'

/** Parameters with a meaning of their own, of the outermost rows alone; each may come once. */
const SINGLE = ['select', 'columns', 'on_conflict'] as const
/** What is said once of the outermost rows, and once of each embedded relation: `limit`, `author.limit`. */
const OF_ROWS = ['order', 'limit', 'offset'] as const
const TREES: ReadonlySet<string> = new Set(['and', 'or', 'not.and', 'not.or'])

type SingleParameter = (typeof SINGLE)[number]
type RowsParameter = (typeof OF_ROWS)[number]

/** What was said so far of the rows at one place. */
interface Gathered {
  path: readonly string[]
  filters: Filter[]
  said: Map<RowsParameter, string>
}

/**
 * Reads `?a=b&c=d`, but for parameters that `isPassed` over. Throws `invalid_parameter` for bytes that are no UTF-8 and
 * for NUL, `invalid_select`, `invalid_filter` and `invalid_order` for what the grammar does not allow.
 */
export function parseQueryString(
  search: string,
  isPassed: (name: string, value: string) => boolean = () => false,
): DataQuery {
  const single = new Map<SingleParameter, string>()
  const places = new Map<string, Gathered>()
  let conditions = 0
  for (const [name, value] of decodePairs(search)) {
    if (isPassed(name, value)) continue
    if (isSingle(name)) {
      if (single.has(name)) throw twice(name)
      single.set(name, value)
      continue
    }
    const { path, last } = splitName(name)
    const place = gathered(places, path)
    if (isOfRows(last)) {
      if (place.said.has(last)) throw twice(name)
      place.said.set(last, value)
      continue
    }
    const filter = parseFilter(name, last, value)
    place.filters.push(filter)
    conditions += countConditions([filter])
    if (conditions > CONDITIONS_MAX) throw tooManyConditions()
  }
  const columns = single.get('columns')
  const onConflict = single.get('on_conflict')
  const { path: _, ...root } = rowsQuery(gathered(places, []))
  return {
    select: parseSelect(single.get('select') ?? ''),
    ...root,
    embedded: [...places.values()].filter(({ path }) => path.length > 0).map(rowsQuery),
    columns: columns === undefined ? undefined : parseNames('columns', columns),
    onConflict: onConflict === undefined ? undefined : parseNames('on_conflict', onConflict),
  }
}

/** True for a parameter that a call by GET passes to its function: no reserved one, and its value no condition. */
export function isCallArgument(name: string, value: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1)
  const isReserved = isSingle(name) || isOfRows(last) || last === 'and' || last === 'or'
  return !isReserved && !beginsWithOperator(value)
}

function gathered(places: Map<string, Gathered>, path: readonly string[]): Gathered {
  const id = JSON.stringify(path)
  const place = places.get(id) ?? { path, filters: [], said: new Map() }
  places.set(id, place)
  return place
}

function rowsQuery({ path, filters, said }: Gathered): EmbeddedQuery {
  const order = parseOrder(said.get('order') ?? '')
  return { path, filters, order, limit: said.get('limit'), offset: said.get('offset') }
}

/**
 * The relations that a parameter's name goes through, and what of the last one it is about: an order, a tree, or a
 * field as text. `a.b.not.or` is the tree `not.or` of `b` in `a`; dots in double quotes are part of a name.
 */
function splitName(name: string): { path: string[]; last: string } {
  if (!name.includes('.') || TREES.has(name)) return { path: [], last: name }
  return parseWhole('invalid_filter', name, name, cursor => {
    const path: string[] = []
    for (;;) {
      const rest = cursor.text.slice(cursor.position)
      if (TREES.has(rest) || isOfRows(rest)) return { path, last: cursor.takeRest() }
      const part = parseName(cursor, 'the name of a column or of an embedded relation')
      if (cursor.skip('.')) {
        path.push(part)
        if (path.length > EMBED_DEPTH_MAX)
          cursor.fail(`relations are embedded at most ${EMBED_DEPTH_MAX} deep`)
        continue
      }
      cursor.takeRest()
      return { path, last: rest }
    }
  })
}

function isOfRows(name: string): name is RowsParameter {
  return OF_ROWS.some(parameter => parameter === name)
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

/** `last` of the parameter's name: a tree, or the field of a condition. */
function parseFilter(name: string, last: string, value: string): Filter {
  if (TREES.has(last)) return parseLogicTree(last, value)
  const field = parseWhole('invalid_filter', name, last, parseField)
  try {
    return parseCondition(name, value, field)
  } catch (err) {
    const meant = nearestName(name, [...SINGLE, ...OF_ROWS])
    if (!(err instanceof DomainError) || meant === undefined) throw err
    throw new DomainError('invalid_filter', err.message, {
      detail: err.detail,
      postgrest: err.postgrest,
      hint: `Perhaps you meant the parameter "${meant}". "${name}" was read as a filter on a column of that name.`,
    })
  }
}

function twice(name: string): DomainError {
  return invalidParameter(`"${name}" is given twice.`, `Send "${name}" once.`)
}

function tooManyConditions(): DomainError {
  return new DomainError('invalid_filter', `A request takes at most ${CONDITIONS_MAX} conditions.`, {
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
