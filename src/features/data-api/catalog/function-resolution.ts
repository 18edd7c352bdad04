// Chooses the overload that a call by argument names means. Pure. Every overload may be meant, also one that the
// caller has no right to: Postgres refuses it then. But refusals name only functions that the caller may execute.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'
import { nearestNames } from '../../../lib/nearest-name.ts'
import type { Catalog } from './catalog.ts'
import { CatalogRefusal } from './catalog-refusal.ts'
import type { DatabaseFunction } from './catalog-types.ts'
import { AMBIGUOUS_HINT, ambiguousWords, notFoundWords, type Passed, shown } from './function-words.ts'

/** The function to call; `byName` passes arguments, `wholeBody` the body as the one argument without a name. */
export interface ResolvedCall {
  readonly target: DatabaseFunction
  /** All of its name, by oid: what was chosen from. */
  readonly overloads: readonly DatabaseFunction[]
  readonly passing: 'byName' | 'wholeBody'
}

/**
 * Resolves by the set of argument names, then by the type of one argument without a name that takes the whole body.
 * Throws `function_not_found` with near names, `ambiguous_function` when several fit.
 */
export function resolveFunction(
  catalog: Catalog,
  called: QualifiedName,
  passed: Passed,
  role: DatabaseRole,
): ResolvedCall {
  const overloads = catalog.functions(called.schema, called.name)
  const { names, wholeTypes } = passed
  const callable = overloads.filter(isCallable)
  const byName = names ? callable.filter(candidate => accepts(candidate, names)) : []
  const fitting = byName.length > 0 ? byName : callable.filter(candidate => takesWhole(candidate, wholeTypes))
  if (fitting.length > 1) throw ambiguous(called, fitting, role)
  const [target] = fitting
  if (target) {
    const isByName = byName.length > 0 && !names?.includes('')
    return { target, overloads, passing: isByName ? 'byName' : 'wholeBody' }
  }
  // A function that this call cannot reach is not what was meant by its own name.
  const others = catalog.functionNames(called.schema, role).filter(name => name !== called.name)
  throw notFound(called, passed, usableBy(overloads, role), others)
}

/** Types of the one argument without a name that a body can be. */
const WHOLE_TYPES: ReadonlySet<string> = new Set(['json', 'jsonb', 'text', 'xml', 'bytea'])

/** Arguments go by their names; a single one without may be the body, which `{"": ...}` says too (PostgREST). */
function isCallable({ arguments: parameters }: DatabaseFunction): boolean {
  const [only, ...others] = parameters
  const isWhole = others.length === 0 && only !== undefined && only.name === '' && WHOLE_TYPES.has(only.type)
  return isWhole || parameters.every(({ name }) => name !== '')
}

function accepts({ arguments: parameters }: DatabaseFunction, names: readonly string[]): boolean {
  const known = new Set(parameters.map(parameter => parameter.name))
  return (
    names.every(name => known.has(name)) &&
    parameters.every(({ name, hasDefault }) => names.includes(name) || hasDefault)
  )
}

function takesWhole({ arguments: parameters }: DatabaseFunction, types: readonly string[]): boolean {
  const [only, ...others] = parameters
  return others.length === 0 && only?.name === '' && types.includes(only.type)
}

function ambiguous(
  { schema, name }: QualifiedName,
  fitting: readonly DatabaseFunction[],
  role: DatabaseRole,
): CatalogRefusal {
  const usable = signatures(usableBy(fitting, role))
  const candidates = usable.length > 0 ? `: ${usable.join(', ')}` : ` those called ${schema}.${name}`
  return new CatalogRefusal(
    'ambiguous_function',
    `Could not choose the best candidate function between${candidates}`,
    {
      hint: AMBIGUOUS_HINT,
      postgrest: ambiguousWords({ schema, name }, usableBy(fitting, role)),
    },
  )
}

/** Those that may be told to a caller in this role. */
function usableBy(functions: readonly DatabaseFunction[], role: DatabaseRole): DatabaseFunction[] {
  return functions.filter(candidate => candidate.usableBy.includes(role))
}

/** `public.add(a => integer, b => integer)` of each function. */
function signatures(functions: readonly DatabaseFunction[]): string[] {
  return functions.map(({ schema, name, arguments: parameters }) => {
    const list = parameters.map(({ name: argument, type }) =>
      argument === '' ? type : `${argument} => ${type}`,
    )
    return `${schema}.${name}(${list.join(', ')})`
  })
}

/** What sends a whole body as the one argument without a name, by the argument's type. */
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['jsonb', 'application/json'],
  ['text', 'text/plain'],
  ['xml', 'text/xml'],
  ['bytea', 'application/octet-stream'],
])

/** How to call the overloads that there are. */
function callHint(overloads: readonly DatabaseFunction[]): string {
  const exists = `The function exists as ${signatures(overloads).join(', ')}`
  const unnamed = overloads.find(({ arguments: parameters }) => parameters.some(({ name }) => name === ''))
  const [only, ...others] = unnamed?.arguments ?? []
  if (only === undefined) return `${exists}: pass every argument without a default by its name.`
  const contentType = others.length === 0 ? CONTENT_TYPES.get(only.type) : undefined
  return contentType === undefined
    ? `${exists}: an argument without a name cannot be passed; give it one with CREATE OR REPLACE FUNCTION.`
    : `${exists}: send its argument, which has no name, as the whole body with Content-Type: ${contentType}.`
}

function notFound(
  { schema, name }: QualifiedName,
  passed: Passed,
  overloads: readonly DatabaseFunction[],
  others: readonly string[],
): CatalogRefusal {
  const near = nearestNames(name, others, 3)
  const { names = [], wholeTypes } = passed
  const call = names.length > 0 ? `(${shown(names)})` : ' without parameters'
  const hint =
    overloads.length > 0
      ? callHint(overloads)
      : near.length > 0
        ? `Perhaps you meant to call the function ${near.map(found => `${schema}.${found}`).join(' or ')}.`
        : `Create it in the schema ${schema}, and grant EXECUTE on it to the role of the API key.`
  return new CatalogRefusal('function_not_found', `Could not find the function ${schema}.${name}${call}.`, {
    detail:
      wholeTypes.length === 0
        ? `Searched for the function ${schema}.${name}${call}.`
        : `Searched for the function ${schema}.${name}${call}, ` +
          `or with a single unnamed ${wholeTypes.join('/')} parameter.`,
    hint,
    postgrest: notFoundWords({ schema, name }, passed, overloads.filter(isCallable), others),
  })
}
