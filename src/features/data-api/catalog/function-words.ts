// What PostgREST says of functions that it cannot choose. Pure. Only what the caller may use is named, as in our words.

import type { QualifiedName } from '../../../db/sql.ts'
import type { PostgrestWords } from '../../../errors.ts'
import { similarName } from '../../../lib/similar-name.ts'
import type { DatabaseFunction } from './catalog-types.ts'

/** What of a call's body chooses the overload. */
export interface Passed {
  /** Of the arguments; undefined where they have none. */
  readonly names: readonly string[] | undefined
  /** Types of the one argument that may take the whole body. */
  readonly wholeTypes: readonly string[]
}

/** How like a name must be, of 0 to 1, to be the one that was meant. */
const FUNCTION_SCORE_MIN = 0.75
const PARAMETERS_SCORE_MIN = 0.33

/** PGRST202; `others` are the functions of the schema. */
export function notFoundWords(
  { schema, name }: QualifiedName,
  { names, wholeTypes }: Passed,
  overloads: readonly DatabaseFunction[],
  others: readonly string[],
): PostgrestWords {
  const called = `${schema}.${name}`
  const list = shown([...(names ?? [])].sort())
  const isBare = names !== undefined && names.length === 0
  const call = names === undefined ? '' : isBare ? ' without parameters' : `(${list})`
  const byName = isBare
    ? ' without parameters'
    : ` with parameter${(names?.length ?? 0) > 1 ? 's' : ''} ${list}`
  const whole = `with a single unnamed ${wholeTypes.join('/')} parameter`
  const searched =
    names === undefined ? ` ${whole}` : `${byName}${wholeTypes.length > 0 ? ` or ${whole}` : ''}`
  const parameters = overloads.map(parameterList)
  const meant =
    overloads.length > 0
      ? similarName(`(${list})`, parameters, PARAMETERS_SCORE_MIN)
      : similarName(name, others, FUNCTION_SCORE_MIN)
  const hint = overloads.length > 0 ? `${called}${meant}` : `${schema}.${meant}`
  return {
    code: 'PGRST202',
    message: `Could not find the function ${called}${call} in the schema cache`,
    details: `Searched for the function ${called}${searched}, but no matches were found in the schema cache.`,
    hint:
      names === undefined || meant === undefined ? null : `Perhaps you meant to call the function ${hint}`,
  }
}

export const AMBIGUOUS_HINT =
  'Try renaming the parameters or the function itself in the database so function overloading can be resolved'

/** PGRST203. */
export function ambiguousWords(
  { schema, name }: QualifiedName,
  fitting: readonly DatabaseFunction[],
): PostgrestWords {
  if (fitting.length === 0) return { code: 'PGRST203', hint: AMBIGUOUS_HINT }
  const candidates = fitting
    .map(({ arguments: parameters }) => parameters.map(each => `${each.name} => ${each.type}`).join(', '))
    .sort()
    .map(list => `${schema}.${name}(${list})`)
  const message = `Could not choose the best candidate function between: ${candidates.join(', ')}`
  return { code: 'PGRST203', message, hint: AMBIGUOUS_HINT }
}

function parameterList({ arguments: parameters }: DatabaseFunction): string {
  const names = parameters.map(({ name }) => name).sort()
  return `(${names.join(', ')})`
}

const SHOWN_NAMES_MAX = 100
const SHOWN_CHARACTERS_MAX = 63

/** Names are whatever a caller sent; the message is for people. */
export function shown(names: readonly string[]): string {
  const first = names.slice(0, SHOWN_NAMES_MAX).map(name => name.slice(0, SHOWN_CHARACTERS_MAX))
  return `${first.join(', ')}${names.length > SHOWN_NAMES_MAX ? ', ...' : ''}`
}
