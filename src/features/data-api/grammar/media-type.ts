// Which form an answer takes, from `Accept`. Pure.

import { DomainError } from '../../../errors.ts'

/** The form of an answer's body. */
export interface OutputFormat {
  readonly kind: 'json' | 'object' | 'csv'
  /** True: keys whose value is null are left out. */
  readonly stripsNulls: boolean
  readonly contentType: string
}

const JSON_FORMAT: OutputFormat = {
  kind: 'json',
  stripsNulls: false,
  contentType: 'application/json; charset=utf-8',
}

/** The first type of `Accept` (by q-value, then place) that can be made; JSON without one. Throws `not_acceptable`. */
export function negotiateFormat(accept: string | null): OutputFormat {
  if (accept === null || accept === '' || accept === '*/*' || accept === 'application/json')
    return JSON_FORMAT
  for (const range of mediaRanges(accept)) {
    const format = formatOf(range)
    if (format) return format
  }
  throw new DomainError(
    'not_acceptable',
    `None of these media types are available: ${accept.slice(0, 200)}`,
    {
      hint: 'Accept application/json, text/csv, application/vnd.pgrst.object+json or application/vnd.pgrst.array+json.',
    },
  )
}

interface MediaRange {
  type: string
  parameters: string[]
  quality: number
}

function mediaRanges(accept: string): MediaRange[] {
  return accept
    .split(',')
    .map(part => {
      const [type = '', ...parameters] = part.split(';').map(piece => piece.trim().toLowerCase())
      const q = parameters.find(parameter => parameter.startsWith('q='))
      return { type, parameters, quality: q === undefined ? 1 : Number(q.slice(2)) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
}

function formatOf({ type, parameters }: MediaRange): OutputFormat | undefined {
  const stripsNulls = parameters.includes('nulls=stripped')
  const suffix = `${stripsNulls ? '; nulls=stripped' : ''}; charset=utf-8`
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return JSON_FORMAT
    case 'text/*':
    case 'text/csv':
      return { kind: 'csv', stripsNulls: false, contentType: 'text/csv; charset=utf-8' }
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return { kind: 'object', stripsNulls, contentType: `application/vnd.pgrst.object+json${suffix}` }
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      return { kind: 'json', stripsNulls, contentType: `application/vnd.pgrst.array+json${suffix}` }
    default:
      return undefined
  }
}
