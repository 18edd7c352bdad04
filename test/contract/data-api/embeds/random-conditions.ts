// Filters on the columns of a level, and on whether related rows are there.

import type { Choices } from './choices.ts'
import type { Column, ColumnType, Relation } from './schema-model.ts'

const TESTS: Record<ColumnType, readonly string[]> = {
  int: [
    'eq.1',
    'gt.1',
    'lte.3',
    'in.(1,2,3)',
    'is.null',
    'not.is.null',
    'neq.2',
    'not.eq.2',
    'isdistinct.1',
    'lt.5',
  ],
  text: ['eq.red', 'like.*e*', 'ilike.r*', 'in.(red,blue)', 'is.null', 'not.is.null', 'neq.blue', 'match.^r'],
  boolean: ['is.true', 'not.is.false', 'eq.true', 'is.null', 'is.unknown'],
  jsonb: ['not.is.null', 'is.null'],
}

/** Parameters without the path of the level; `related` are the names of the relations that it embeds. */
export function randomConditions(
  choices: Choices,
  { columns }: Relation,
  related: readonly string[],
): string[] {
  const plain = choices
    .some(columns, 8)
    .map(column => assigned(fieldOf(choices, column), choices.pick(TESTS[column.type])))
  const missing = choices.some(related, 12).map(name => assigned(name, choices.pick(NULL_TESTS)))
  const logic = choices.chance(12) ? [randomLogic(choices, columns, related)] : []
  return [...plain, ...missing, ...logic]
}

const NULL_TESTS = ['not.is.null', 'is.null']

function assigned(name: string, test: string): string {
  return `${name}=${test}`
}

function fieldOf(choices: Choices, { name, type }: Column): string {
  return type === 'jsonb' && choices.chance(50) ? `${name}->a` : name
}

function randomLogic(choices: Choices, columns: readonly Column[], related: readonly string[]): string {
  const condition = () => {
    if (related.length > 0 && choices.chance(30))
      return `${choices.pick(related)}.${choices.pick(NULL_TESTS)}`
    const column = choices.pick(columns)
    return `${column.name}.${choices.pick(TESTS[column.type])}`
  }
  const nested = choices.chance(30)
    ? [`${choices.pick(['and', 'not.or'])}(${condition()},${condition()})`]
    : []
  return `${choices.pick(['or', 'and', 'not.and'])}=(${[condition(), condition(), ...nested].join(',')})`
}
