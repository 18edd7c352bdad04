// Query strings as Go's net/url reads and writes them. Pure.

/** The parameters of an address; those with a semicolon or a broken escape are not there. */
export function readQuery(url: URL): URLSearchParams {
  const isReadable = (pair: string) => !pair.includes(';') && !/%(?![0-9a-fA-F]{2})/.test(pair)
  return new URLSearchParams(url.search.slice(1).split('&').filter(isReadable).join('&'))
}

/** Sorted by name; of the same name in the order they had. */
export function writeQuery(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query)
  sorted.sort()
  return sorted.toString().replaceAll('*', '%2A').replaceAll('%7E', '~')
}
