// JSON whose numbers keep their text: a bigint of Postgres has more digits than a number of JavaScript holds, and
// `1.10` is not what was stored once it says `1.1`.
//
// The engine itself tells how a number was written (JSON.parse with source text access) and writes it so again
// (JSON.rawJSON): Chromium, Firefox and Safari do since March 2025. That is less than a parser of our own.
// https://github.com/tc39/proposal-json-parse-with-source

/** Newer than the types of the compiler. */
const { rawJSON } = JSON as typeof JSON & { rawJSON?: (text: string) => unknown }

function keepNumber(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  const isKept = typeof value !== 'number' || source === undefined || String(value) === source
  return isKept ? value : (rawJSON?.(source) ?? value)
}

/** As JSON.parse; a number that would change is an object that JSON.stringify writes as it was. */
export function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, keepNumber)
  } catch (err) {
    // Nested deeper than a reviver can follow.
    if (err instanceof RangeError) return JSON.parse(text)
    throw err
  }
}

/**
 * JSON with a line for each value; what is none, or whose numbers could not be kept, as it is. Numbers and texts stay
 * as they are. Names that look like integers come first, and of a repeated name the last value alone is left.
 */
export function prettyJson(text: string): string {
  if (rawJSON === undefined) return text
  try {
    return JSON.stringify(JSON.parse(text, keepNumber), undefined, 2)
  } catch {
    return text
  }
}
