// Which of HTML and JSON a request wants. Pure.

interface Range {
  readonly type: string
  readonly q: number
}

/** True when `Accept` prefers JSON to HTML; on a tie, for a wildcard and without a header HTML wins, as in Kratos. */
export function prefersJson(accept: string | undefined): boolean {
  const ranges = parseAccept(accept ?? '')
  const json = quality(ranges, 'application/json')
  const html = quality(ranges, 'text/html')
  if (json.q !== html.q) return json.q > html.q
  return json.q > 0 && json.wildcards < html.wildcards
}

/** True for a script: JSON is preferred, or JSON was sent. */
export function isJsonRequest(header: (name: string) => string | undefined): boolean {
  return prefersJson(header('accept')) || header('content-type') === 'application/json'
}

function parseAccept(accept: string): Range[] {
  return accept.split(',').flatMap(part => {
    const [type = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    if (type === '') return []
    const q = parameters.find(parameter => parameter.startsWith('q='))
    return [{ type, q: q === undefined ? 1 : Number(q.slice(2)) || 0 }]
  })
}

/** The best match and how little it names: 0 for the type itself, 1 for `text/*`, 2 for anything. */
function quality(ranges: readonly Range[], offer: string): { q: number; wildcards: number } {
  let best = { q: 0, wildcards: 3 }
  for (const { type, q } of ranges) {
    const wildcards = type === offer ? 0 : type === `${offer.split('/')[0]}/*` ? 1 : type === '*/*' ? 2 : 3
    if (wildcards < 3 && (q > best.q || (q === best.q && wildcards < best.wildcards))) best = { q, wildcards }
  }
  return best
}
