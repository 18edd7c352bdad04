// Chooses the overload that a call by argument names means. Pure.

import { DomainError } from '../../errors.ts'
import type { Catalog } from './catalog.ts'
import type { DatabaseFunction } from './catalog-types.ts'
import { nearestNames } from './nearest-name.ts'

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
  schema: string,
  name: string,
  argumentNames: readonly string[] | undefined,
): ResolvedCall {
  const overloads = catalog.functions(schema, name)
  const fitting = argumentNames ? overloads.filter(candidate => accepts(candidate, argumentNames)) : []
  if (fitting.length > 1) throw ambiguous(fitting)
  const [target] = fitting
  if (target) return { target, passing: 'byName' }
  const wholeBody = overloads.find(takesWholeBody)
  if (wholeBody) return { target: wholeBody, passing: 'wholeBody' }
  throw notFound(catalog, schema, name, argumentNames ?? [], overloads)
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

function ambiguous(fitting: readonly DatabaseFunction[]): DomainError {
  return new DomainError(
    'ambiguous_function',
    `Could not choose the best candidate function between: ${fitting.map(signature).join(', ')}`,
    {
      hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
    },
  )
}

function signature({ schema, name, arguments: parameters }: DatabaseFunction): string {
  return `${schema}.${name}(${parameters.map(argument => `${argument.name} => ${argument.type}`).join(', ')})`
}

function notFound(
  catalog: Catalog,
  schema: string,
  name: string,
  argumentNames: readonly string[],
  overloads: readonly DatabaseFunction[],
): DomainError {
  const call = argumentNames.length > 0 ? `(${argumentNames.join(', ')})` : ' without parameters'
  const near = nearestNames(name, catalog.functionNames(schema), 3).map(found => `${schema}.${found}`)
  const hint =
    overloads.length > 0
      ? `The function exists as ${overloads.map(signature).join(', ')}: pass every argument without a default by its name.`
      : near.length > 0
        ? `Perhaps you meant to call the function ${near.join(' or ')}.`
        : `Create it in the schema ${schema}, and grant EXECUTE on it to the role of the API key.`
  return new DomainError('function_not_found', `Could not find the function ${schema}.${name}${call}.`, {
    detail: `Searched for the function ${schema}.${name}${call}, or with a single unnamed json/jsonb parameter.`,
    hint,
  })
}
