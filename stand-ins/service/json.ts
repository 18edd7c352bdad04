// The values of JSON as types. For what JSON.parse has made; checks nothing deeper than the value it is asked about.

/** Any value of JSON. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** False for null and for lists. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value)
}
