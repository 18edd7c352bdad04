// Parameters of a header's value, as in `form-data; name="file"; filename="a b.txt"` (RFC 2183, RFC 2045 §5.1).

/** A parameter behind its semicolon: a quoted string, in which a backslash may quote, or a token. */
const PARAMETER = /;[ \t]*([\w*-]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^";\s]*)/gs

/** By name, in lower case; of several with one name the first counts. */
export function parametersOf(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name = '', text = ''] of value.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, unquoted(text))
  }
  return parameters
}

/** Backslashes before anything but a quote are those of a path on Windows. */
function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text
}
