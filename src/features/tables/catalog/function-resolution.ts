// Chooses the overload that a call by argument names means. Pure. Every overload may be meant, also one that the
// caller has no right to: Postgres refuses it then. But refusals name only functions that the caller may execute.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { NAME_BYTES_MAX } from '../limits.ts'
import { nearestNames } from '../nearest-name.ts'
import type { Catalog } from './catalog.ts'
import type { DatabaseFunction } from './catalog-types.ts'

/** The function to call; `byName` passes arguments, `wholeBody` the body as the one unnamed JSON argument. */
export interface ResolvedCall {
  readonly target: DatabaseFunction
  readonly passing: 'byName' | 'wholeBody'
}

/**
 * Resolves by the set of argument names; undefined names mean a body that is no object, which only a function with one
 * unnamed JSON argument takes. Throws `function_not_found` with near names, `ambiguous_function` when several fit.
 */
export function resolveFunction(
  catalog: Catalog,
  named: QualifiedName,
  argumentNames: readonly string[] | undefined,
  role: DatabaseRole,
): ResolvedCall {
  const overloads = catalog.functions(named.schema, named.name)
  const fitting = argumentNames ? overloads.filter(candidate => accepts(candidate, argumentNames)) : []
  if (fitting.length > 1) throw ambiguous(named, fitting, role)
  const [target] = fitting
  if (target) return { target, passing: 'byName' }
  const wholeBody = overloads.find(takesWholeBody)
  if (wholeBody) return { target: wholeBody, passing: 'wholeBody' }
  const near = nearestNames(named.name, catalog.functionNames(named.schema, role), 3)
  throw notFound(named, argumentNames ?? [], signatures(overloads, role), near)
}

function accepts({ arguments: parameters }: DatabaseFunction, names: readonly string[]): boolean {
  const known = new Set(parameters.map(parameter => parameter.name))
  return (
    names.every(name => name !== '' && known.has(name)) &&
    parameters.every(({ name, hasDefault }) => (name !== '' && names.includes(name)) || hasDefault)
  )
}

function takesWholeBody({ arguments: parameters }: DatabaseFunction): boolean {
  const [only, ...others] = parameters
  return others.length === 0 && only?.name === '' && (only.type === 'json' || only.type === 'jsonb')
}

function ambiguous(
  { schema, name }: QualifiedName,
  fitting: readonly DatabaseFunction[],
  role: DatabaseRole,
): DomainError {
  const usable = signatures(fitting, role)
  const candidates = usable.length > 0 ? `: ${usable.join(', ')}` : ` those called ${schema}.${name}`
  return new DomainError(
    'ambiguous_function',
    `Could not choose the best candidate function between${candidates}`,
    {
      hint:
        'Try renaming the parameters or the function itself in the database so function overloading can ' +
        'be resolved',
    },
  )
}

/** `public.add(a => integer, b => integer)` of each function that the role may execute. */
function signatures(functions: readonly DatabaseFunction[], role: DatabaseRole): string[] {
  return functions
    .filter(({ usableBy }) => usableBy.includes(role))
    .map(({ schema, name, arguments: parameters }) => {
      const list = parameters.map(argument => `${argument.name} => ${argument.type}`).join(', ')
      return `${schema}.${name}(${list})`
    })
}

function notFound(
  { schema, name }: QualifiedName,
  argumentNames: readonly string[],
  overloads: readonly string[],
  near: readonly string[],
): DomainError {
  const call = argumentNames.length > 0 ? `(${shown(argumentNames)})` : ' without parameters'
  const hint =
    overloads.length > 0
      ? `The function exists as ${overloads.join(', ')}: pass every argument without a default by its name.`
      : near.length > 0
        ? `Perhaps you meant to call the function ${near.map(found => `${schema}.${found}`).join(' or ')}.`
        : `Create it in the schema ${schema}, and grant EXECUTE on it to the role of the API key.`
  return new DomainError('function_not_found', `Could not find the function ${schema}.${name}${call}.`, {
    detail: `Searched for the function ${schema}.${name}${call}, or with a single unnamed json/jsonb parameter.`,
    hint,
  })
}

/** Names are whatever a caller sent; the message is for people. */
function shown(names: readonly string[]): string {
  const first = names.slice(0, SHOWN_NAMES_MAX).map(name => name.slice(0, NAME_BYTES_MAX))
  return `${first.join(', ')}${names.length > SHOWN_NAMES_MAX ? ', ...' : ''}`
}

const SHOWN_NAMES_MAX = 100
