/**
 * Owns turning the JSON of a request's parameters into Postgres' text form, as Neon does. Pure.
 */

/** A number that keeps the digits of the request (see `parseExactly`). */
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

interface ExactJson {
  rawJSON(text: string): object
  isRawJSON(value: unknown): value is { rawJSON: string }
}

/** ECMAScript 2026; Node 24 has both, the compiler's library not yet. */
const exactJson = JSON as unknown as ExactJson

/** True for a parameter that JavaScript's numbers may have rounded: the request is then parsed again, exactly. */
export function mayBeRounded(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value)
  return typeof value === 'object' && value !== null
}

/** Parses JSON so that every number keeps the digits that it was written with. */
export function parseExactly(text: string): unknown {
  type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
  const keepNumber: Reviver = (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined ? exactJson.rawJSON(context.source) : value
  return JSON.parse(text, keepNumber as (this: unknown, key: string, value: unknown) => unknown)
}

/** The text of one parameter; objects become JSON, arrays Postgres arrays. */
export function parameterText(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return arrayText(value as JsonValue[])
  return exactJson.isRawJSON(value) ? value.rawJSON : JSON.stringify(value)
}

function arrayText(values: readonly JsonValue[]): string {
  return `{${values.map(elementText).join(',')}}`
}

function elementText(value: JsonValue): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return arrayText(value)
  if (typeof value === 'string') return quoteElement(value)
  if (typeof value === 'object' && !exactJson.isRawJSON(value)) return quoteElement(JSON.stringify(value))
  return parameterText(value) ?? 'NULL'
}

/** Backslash and quote alone are special inside a quoted element; Neon's JSON escapes would lose a line break. */
function quoteElement(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
