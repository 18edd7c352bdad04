// Which form an answer takes, from `Accept`. Pure.

import { DomainError } from '../../../errors.ts'
import type { MediaResult } from '../catalog/catalog-types.ts'

/** The form of an answer's body. */
export interface OutputFormat {
  /** `none`: for HEAD, whose answer has no body. `text` and `bytes`: a value as it is. */
  readonly kind: 'json' | 'object' | 'csv' | 'geojson' | 'none' | 'text' | 'bytes'
  /** True: keys whose value is null are left out. */
  readonly stripsNulls: boolean
  readonly contentType: string
  /** The body is how Postgres runs the statement, in place of what it answers. */
  readonly explain?: ExplainFormat
}

export interface ExplainFormat {
  readonly form: 'json' | 'text'
  /** Options of EXPLAIN, of those that are known. */
  readonly options: readonly string[]
}

const JSON_FORMAT: OutputFormat = {
  kind: 'json',
  stripsNulls: false,
  contentType: 'application/json; charset=utf-8',
}

/**
 * The first type of `Accept` (by q-value, then place) that can be made; JSON without one. Throws `not_acceptable`, for
 * plans too unless `isPlanEnabled`. `media`: what a function's value is.
 */
export function negotiateFormat(
  accept: string | null,
  isPlanEnabled = false,
  media?: MediaResult | undefined,
): OutputFormat {
  const isAny = media?.type === '*/*'
  if (!isAny && (!accept || accept === '*/*' || accept === 'application/json')) return JSON_FORMAT
  for (const range of mediaRanges(accept || '*/*')) {
    const format = (media && mediaFormat(media, range)) ?? formatOf(range, isPlanEnabled)
    if (format) return format
  }
  throw new DomainError(
    'not_acceptable',
    `None of these media types are available: ${accept?.slice(0, 200)}`,
    {
      hint: 'Accept application/json, text/csv, application/vnd.pgrst.object+json or application/vnd.pgrst.array+json.',
    },
  )
}

interface MediaRange {
  readonly type: string
  /** Names in lower case; values without quotes. */
  readonly parameters: ReadonlyMap<string, string>
}

/** A comma or semicolon in quotes is none: `for="application/json;nulls=stripped"`. */
const PARTS = /(?:[^,"]|"[^"]*")+/g
const PIECES = /(?:[^;"]|"[^"]*")+/g

function mediaRanges(accept: string): MediaRange[] {
  return Array.from(accept.matchAll(PARTS), ([part]) => mediaRange(part))
    .filter(range => qualityOf(range) > 0)
    .sort((a, b) => qualityOf(b) - qualityOf(a))
}

function mediaRange(text: string): MediaRange {
  const [type = '', ...pieces] = Array.from(text.matchAll(PIECES), ([piece]) => piece.trim())
  const parameters = pieces.map(piece => {
    const [name = '', ...value] = piece.split('=')
    return [
      name.trim().toLowerCase(),
      value
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    ] as const
  })
  return { type: type.toLowerCase(), parameters: new Map(parameters) }
}

function qualityOf({ parameters }: MediaRange): number {
  const q = parameters.get('q')
  return q === undefined ? 1 : Number(q) || 0
}

/** The format of a value whose very type is asked for: rpc() of supabase-js takes any, and means JSON. */
function mediaFormat({ type, isBytes }: MediaResult, { type: range }: MediaRange): OutputFormat | undefined {
  if (type !== '*/*' && range !== type) return undefined
  const named = type === '*/*' ? 'application/octet-stream' : type
  const contentType = /^text\/(?:plain|xml)$/.test(named) ? `${named}${CHARSET}` : named
  return { kind: isBytes ? 'bytes' : 'text', stripsNulls: false, contentType }
}

const CHARSET = '; charset=utf-8'

function formatOf({ type, parameters }: MediaRange, isPlanEnabled: boolean): OutputFormat | undefined {
  const stripsNulls = parameters.get('nulls')?.toLowerCase() === 'stripped'
  const stripped = stripsNulls ? ';nulls=stripped' : ''
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return JSON_FORMAT
    case 'text/*':
    case 'text/csv':
      return { kind: 'csv', stripsNulls: false, contentType: `text/csv${CHARSET}` }
    case 'application/geo+json':
      return { kind: 'geojson', stripsNulls: false, contentType: `${type}${CHARSET}` }
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return {
        kind: 'object',
        stripsNulls,
        contentType: `application/vnd.pgrst.object+json${stripped}${CHARSET}`,
      }
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      if (!stripsNulls) return JSON_FORMAT
      return {
        kind: 'json',
        stripsNulls,
        contentType: `application/vnd.pgrst.array+json${stripped}${CHARSET}`,
      }
    case 'application/vnd.pgrst.plan':
    case 'application/vnd.pgrst.plan+text':
      return isPlanEnabled ? explained('text', parameters) : undefined
    case 'application/vnd.pgrst.plan+json':
      return isPlanEnabled ? explained('json', parameters) : undefined
    default:
      return undefined
  }
}

const EXPLAIN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal']

/** How Postgres makes an answer of the type that `for` names. */
function explained(
  form: ExplainFormat['form'],
  parameters: MediaRange['parameters'],
): OutputFormat | undefined {
  const format = formatOf(mediaRange(parameters.get('for') ?? 'application/json'), false)
  if (format === undefined) return undefined
  const asked = parameters.get('options')?.split('|') ?? []
  const options = EXPLAIN_OPTIONS.filter(option => asked.includes(option))
  const shown = options.length === 0 ? '' : `; options=${options.join('|')}`
  const of = format.contentType.replace(CHARSET, '')
  return {
    ...format,
    contentType: `application/vnd.pgrst.plan+${form}; for="${of}"${shown}${CHARSET}`,
    explain: { form, options },
  }
}
