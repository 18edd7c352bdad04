// JSON whose numbers keep their digits: a bigint of Postgres has more than a number of JavaScript holds, and who looks
// for what a receiver got must not see another number.

/** Newer than the types of the compiler: https://github.com/tc39/proposal-json-parse-with-source */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
const { rawJSON } = JSON as typeof JSON & { rawJSON?: (text: string) => unknown }

/** As JSON.parse; a number that would change is an object that JSON.stringify writes as it was. */
export function parseExactly(text: string): unknown {
  if (rawJSON === undefined) return JSON.parse(text)
  const keep: Reviver = (_, value, context) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value
  try {
    return JSON.parse(text, keep as (key: string, value: unknown) => unknown)
  } catch (err) {
    // Nested deeper than a reviver can follow.
    if (err instanceof RangeError) return JSON.parse(text)
    throw err
  }
}
