// From the JSON values of `params` to Postgres' text form of parameters; Postgres infers each one's type. Pure.
// NUL and lone surrogates are refused before, for every body (`http/validation.ts`).

import { DomainError } from '../../errors.ts'
import { type ArrayItem, writeArrayLiteral } from '../../lib/array-literal.ts'

/**
 * Strings as they are, numbers and booleans as text, arrays as Postgres arrays, objects as JSON text. Throws
 * `validation_failed` naming the parameter when a number was too long for JSON's reader and has lost digits.
 */
export function toParameters(params: readonly unknown[]): (string | null)[] {
  return params.map((value, i) => toParameter(value, `params[${i}]`))
}

/**
 * An empty array for array types, and nothing for JSON: of the blanks that Postgres reads over there, JSON has no form
 * feed. As `{}` it would be stored as an object, silently; all other arrays are no JSON anyway. An empty object for an
 * array type is an empty array: Postgres' text of the two is the same.
 */
const EMPTY_ARRAY = '{\f}'

function toParameter(value: unknown, where: string): string | null {
  if (Array.isArray(value) && value.length === 0) return EMPTY_ARRAY
  if (Array.isArray(value)) return writeArrayLiteral(value.map(item => toItem(item, where)))
  return toScalar(value, where)
}

function toItem(value: unknown, where: string): ArrayItem {
  return Array.isArray(value) ? value.map(item => toItem(item, where)) : toScalar(value, where)
}

function toScalar(value: unknown, where: string): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  refuseLostDigits(value, where)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * Beyond 2^53 a JSON integer has been rounded by the time it is here, and beyond 1.8e308 any number is Infinity: an
 * id or an amount would be stored wrong, silently. How it was written (`1e21`) is lost too, so no integer of that
 * size passes.
 */
function refuseLostDigits(value: unknown, where: string): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw lostDigits(`${where}: holds a number beyond 1.8e308`)
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      throw lostDigits(`${where}: holds an integer beyond 2^53`)
  }
  if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) refuseLostDigits(item, where)
}

function lostDigits(what: string): DomainError {
  return new DomainError('validation_failed', `${what}, which JSON readers do not keep exactly.`, {
    hint: 'Send it as a string, as in "9007199254740993"; send JSON that holds it as a string of JSON text.',
  })
}
