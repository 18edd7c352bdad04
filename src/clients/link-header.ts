// Where a list of the OAuth2 server or of the identity provider goes on: the `Link` header (RFC 8288), whose addresses
// are relative and already percent-encoded. Pure.

/** The address of the `rel="next"` link and its `rel`; addresses in angle brackets hold no `>`. */
const NEXT_LINK = /<([^<>]*)>\s*;\s*rel="?next"?(?=\s*(?:[,;]|$))/i

/** The token of the next page; undefined on the last page. */
export function nextPageToken(headers: Headers): string | undefined {
  const address = headers.get('link')?.match(NEXT_LINK)?.[1]
  if (address === undefined) return undefined
  // Only the query counts: the path is that of the request, whatever prefix a proxy has taken from it.
  const query = address.slice(address.indexOf('?') + 1)
  return new URLSearchParams(query).get('page_token') ?? undefined
}
