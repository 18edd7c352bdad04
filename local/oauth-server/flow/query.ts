// Query strings as Go writes them (`url.Values.Encode`): keys sorted, a space as `+`, everything escaped but letters,
// digits and `-_.~`. Clients compare redirects byte for byte, so `URLSearchParams` (which keeps `*`, escapes `~` and
// keeps the order) will not do.

export type QueryValues = Readonly<Record<string, string | readonly string[]>>

/** Writes `values` with sorted keys; an array repeats its key. */
export function encodeQuery(values: QueryValues): string {
  return Object.keys(values)
    .sort()
    .flatMap(key => [values[key] ?? []].flat().map(value => `${escapePart(key)}=${escapePart(value)}`))
    .join('&')
}

/** `url` with the parameters of `values` set, replacing what it had under the same names. `url` may be relative. */
export function withQuery(url: string, values: QueryValues): string {
  const { base, query, fragment } = splitUrl(url)
  return `${base}?${encodeQuery({ ...query, ...values })}${fragment}`
}

/** The parameters of a query string or form, repeated keys as arrays in their order. */
export function queryValues(params: URLSearchParams): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const key of new Set(params.keys())) values[key] = params.getAll(key)
  return values
}

function splitUrl(url: string) {
  const [beforeFragment = '', ...fragment] = url.split('#')
  const at = beforeFragment.indexOf('?')
  return {
    base: at < 0 ? beforeFragment : beforeFragment.slice(0, at),
    query: at < 0 ? {} : queryValues(new URLSearchParams(beforeFragment.slice(at + 1))),
    fragment: fragment.length ? `#${fragment.join('#')}` : '',
  }
}

function escapePart(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}
