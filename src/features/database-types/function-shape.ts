// What a function takes and returns over HTTP, read from the catalog's lists of arguments. Pure.

import type { FunctionFact, RelationFact, TypeFact } from './type-facts.ts'
import type { TypeNames } from './type-names.ts'

export interface InputShape {
  /** Empty for an argument without a name. */
  readonly name: string
  /** Oid of its type. */
  readonly type: string
  readonly hasDefault: boolean
}

export interface FunctionShape {
  readonly fact: FunctionFact
  readonly inputs: readonly InputShape[]
  /** Columns of its result where arguments name them. */
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
}

export function shapeOf(fact: FunctionFact): FunctionShape {
  const all = fact.argumentTypes.map((type, i) => ({
    type,
    name: fact.argumentNames?.[i] ?? '',
    mode: fact.argumentModes?.[i] ?? 'i',
  }))
  const inputs = all.filter(({ mode }) => 'ibv'.includes(mode))
  const firstDefault = inputs.length - fact.defaults
  return {
    fact,
    inputs: inputs.map(({ name, type }, i) => ({ name, type, hasDefault: i >= firstDefault })),
    outputs: all
      .filter(({ mode }) => 'obt'.includes(mode))
      // As Postgres calls a column of a result that has no name.
      .map(({ name, type }, i) => ({ name: name || `column${i + 1}`, type })),
  }
}

/** What a request's body may be as a whole. */
const WHOLE_BODIES = ['json', 'jsonb', 'text']

const isWholeBody = (type: TypeFact | undefined) =>
  type !== undefined && type.kind === 'b' && WHOLE_BODIES.includes(type.name)

/** The type of a function's only argument, where that is a row of a table, of a view, or of a composite type. */
export function onlyRow({ inputs }: FunctionShape, names: TypeNames): TypeFact | undefined {
  const [only] = inputs
  const type = only && inputs.length === 1 ? names.fact(only.type) : undefined
  return type?.kind === 'c' ? type : undefined
}

/** A call names its arguments; one without a name takes the whole body, or the row that a function is a field of. */
export function isCallable(shape: FunctionShape, names: TypeNames): boolean {
  const unnamed = shape.inputs.filter(({ name }) => name === '')
  if (unnamed.every(({ type, hasDefault }) => hasDefault && isWholeBody(names.fact(type)))) return true
  const isAlone = shape.inputs.length === 1
  return isAlone && (isWholeBody(names.fact(unnamed[0]?.type ?? '')) || onlyRow(shape, names) !== undefined)
}

/**
 * A field of the rows of this table or view, as `select` names it: the function takes such a row without a name, and
 * answers one value. A column of the same name hides it.
 */
export function isFieldOf(relation: RelationFact, shape: FunctionShape, names: TypeNames): boolean {
  const [only] = shape.inputs
  const isOfRow = onlyRow(shape, names)?.relation === relation.oid && shape.fact.schema === relation.schema
  const isHidden = relation.columns.some(({ name }) => name === shape.fact.name)
  return isOfRow && only?.name === '' && !only.hasDefault && !shape.fact.returnsSet && !isHidden
}

/**
 * Another overload takes every call that this one takes, so no call can mean it: the names that it needs are among
 * those that this one needs, and it knows all names of this one.
 */
export function isHiddenBy(shape: FunctionShape, other: FunctionShape): boolean {
  // A body as a whole goes by its type, not by a name.
  if (shape === other || shape.inputs.some(({ name }) => name === '')) return false
  const taken = new Set(shape.inputs.map(({ name }) => name))
  const needed = new Set(shape.inputs.filter(({ hasDefault }) => !hasDefault).map(({ name }) => name))
  const known = new Set(other.inputs.map(({ name }) => name))
  return (
    [...taken].every(name => known.has(name)) &&
    other.inputs.every(({ name, hasDefault }) => hasDefault || needed.has(name))
  )
}
