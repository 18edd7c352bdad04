// What Hydra adds to Go's JSON: the 400 of a body that cannot be decoded, and fields that are durations.

import { DecodeError, type FieldDecoder, firstValue, text } from '../../service/go-json.ts'
import { formatDuration, parseDuration } from './durations.ts'
import { malformed } from './hydra-error.ts'

/** Reads a body with `decode`; a `DecodeError` becomes the 400 that Hydra answers. */
export function readBody<T>(body: string, decode: (value: unknown) => T): T {
  try {
    return decode(firstValue(body))
  } catch (err) {
    if (err instanceof DecodeError) throw malformed(`Unable to decode the request body: ${err.message}`)
    throw err
  }
}

/** A Go duration, written in Go's own form. */
export const duration: FieldDecoder = (value, at) => {
  const given = text(value, at)
  if (given === undefined) return undefined
  const nanoseconds = parseDuration(String(given))
  if (nanoseconds === undefined) throw new DecodeError(`time: invalid duration "${given}"`)
  return formatDuration(nanoseconds)
}
