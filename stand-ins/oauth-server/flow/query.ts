// Addresses with parameters, in the order of their names.

export type QueryValues = Readonly<Record<string, string | readonly string[]>>

/** Writes `values` with sorted keys; an array repeats its key. */
export function encodeQuery(values: QueryValues): string {
  const pairs = Object.entries(values).flatMap(([name, value]) => [value].flat().map(text => [name, text]))
  const query = new URLSearchParams(pairs)
  query.sort()
  return query.toString()
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
