// Values of an answer of SQL as texts.

/** Null for NULL; JSON and arrays as JSON. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `text[]` for `_text`. */
export function typeWords(typeName: string): string {
  return typeName.startsWith('_') ? `${typeName.slice(1)}[]` : typeName
}

const NUMBERS = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money', 'oid'])

export function isNumber(typeName: string): boolean {
  return NUMBERS.has(typeName)
}
