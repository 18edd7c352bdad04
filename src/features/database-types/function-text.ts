// The functions of a schema as supabase-js' `rpc` reads them. Pure. One that has several overloads is a union.

import { type FunctionShape, type InputShape, isHiddenBy, onlyRow } from './function-shape.ts'
import { valueText } from './row-text.ts'
import type { TypeNames } from './type-names.ts'
import { arrayOf, block, inOrder, key, literal } from './type-syntax.ts'

/** A property by the function's name. All overloads that can be called, in any order. */
export function functionText(name: string, overloads: readonly FunctionShape[], names: TypeNames): string {
  const texts = overloads.map(shape => ({
    order: shape.inputs.map(input => `${input.name} ${names.of(input.type)}`).join(', '),
    text: overloadText(shape, overloads, names),
  }))
  const ordered = inOrder(
    inOrder(texts, ({ text }) => text),
    ({ order }) => order,
  )
  const [first = '', ...others] = new Set(ordered.map(({ text }) => text))
  if (others.length === 0) return `${key(name)}: ${first}`
  return `${key(name)}:\n${[first, ...others].map(text => `  | ${text.replaceAll('\n', '\n    ')}`).join('\n')}`
}

function overloadText(shape: FunctionShape, overloads: readonly FunctionShape[], names: TypeNames): string {
  const problem = problemOf(shape, overloads, names)
  const result =
    problem === undefined ? resultFields(shape, names) : [`Returns: { error: true } & ${literal(problem)}`]
  return block([`Args: ${argumentsText(shape, names)}`, ...result])
}

function argumentsText({ inputs }: FunctionShape, names: TypeNames): string {
  if (inputs.length === 0) return 'never'
  const fields = inOrder(inputs, ({ name }) => name).map(
    ({ name, type, hasDefault }) => `${key(name)}${hasDefault ? '?' : ''}: ${names.of(type)}`,
  )
  return `{ ${fields.join('; ')} }`
}

/** Where the rows of a result have a name that embeds can begin at. */
function targetOf({ fact, outputs }: FunctionShape, names: TypeNames): string | undefined {
  if (outputs.length > 0) return undefined
  const type = names.fact(fact.returns)
  const hasRows = type?.kind === 'c' && (names.relationOf(fact.returns) ?? type.attributes) != null
  return hasRows && type.schema === fact.schema ? type.name : undefined
}

function resultFields(shape: FunctionShape, names: TypeNames): string[] {
  const { fact, outputs } = shape
  const target = targetOf(shape, names)
  const one =
    outputs.length > 0
      ? block(inOrder(outputs, ({ name }) => name).map(({ name, type }) => `${key(name)}: ${names.of(type)}`))
      : valueText(fact.returns, names)
  const isOne = !fact.returnsSet || fact.rows <= 1
  // Where the options say that it is one row of a set, supabase-js makes the list of it.
  const isList = fact.returnsSet && !(isOne && target !== undefined)
  const returns = `Returns: ${isList ? arrayOf(one) : one}`
  if (target === undefined) return [returns]
  const row = onlyRow(shape, names)
  const from = row?.schema === fact.schema ? row.name : '*'
  const options = [
    `from: ${literal(from)}`,
    `to: ${literal(target)}`,
    `isOneToOne: ${isOne}`,
    `isSetofReturn: ${fact.returnsSet}`,
  ]
  return [returns, `SetofOptions: ${block(options)}`]
}

/** Most that a message names. */
const CANDIDATES_MAX = 20

/** Why a call of this overload is refused, in the words that the caller would get; undefined where it is not. */
function problemOf(
  shape: FunctionShape,
  overloads: readonly FunctionShape[],
  names: TypeNames,
): string | undefined {
  const { schema, name } = shape.fact
  const hiding = overloads.filter(other => isHiddenBy(shape, other))
  if (hiding.length > 0) {
    const candidates = [shape, ...hiding].map(({ inputs }) => inputsText(inputs, names)).sort()
    const signatures = candidates.slice(0, CANDIDATES_MAX).map(inputs => `${schema}.${name}(${inputs})`)
    return (
      `Could not choose the best candidate function between: ${signatures.join(', ')}. Try renaming the parameters ` +
      'or the function itself in the database so function overloading can be resolved'
    )
  }
  const isField = shape.inputs[0]?.name === '' && onlyRow(shape, names) !== undefined
  if (!isField || targetOf(shape, names) !== undefined) return undefined
  return (
    `the function ${schema}.${name} with parameter or with a single unnamed json/jsonb parameter, ` +
    'but no matches were found in the schema cache'
  )
}

/** Types by the names that may be told. */
function inputsText(inputs: readonly InputShape[], names: TypeNames): string {
  const texts = inputs.map(({ name, type }) => {
    const found = names.fact(type)
    const isTold = found !== undefined && (names.isExposed(found) || found.schema === 'pg_catalog')
    return `${name} => ${isTold ? found.name : 'unknown'}`
  })
  return texts.join(', ')
}
