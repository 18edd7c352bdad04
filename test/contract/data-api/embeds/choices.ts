// Decisions of a generator, taken from a list of numbers. fast-check makes the list and shrinks it towards zeros, and
// zero is always the plainest choice: so what fails comes out plain.

import fc from 'fast-check'

export interface Choices {
  /** A whole number from 0 to `count` - 1. */
  below(count: number): number
  /** True in about so many of a hundred. */
  chance(percent: number): boolean
  pick<T>(list: readonly T[]): T
  /** Those of the list that are drawn, each by its own chance, in the list's order. */
  some<T>(list: readonly T[], percent: number): T[]
}

/** Values made by so many decisions. Where these are used up, the plainest are taken. */
export function chosen<T>(decisions: number, make: (choices: Choices) => T): fc.Arbitrary<T> {
  const numbers = fc.array(fc.nat(0xffff), { minLength: decisions, maxLength: decisions })
  return numbers.map(list => make(choicesOf(list)))
}

function choicesOf(numbers: readonly number[]): Choices {
  let next = 0
  const below = (count: number) => (numbers[next++] ?? 0) % count
  const chance = (percent: number) => below(100) >= 100 - percent
  return {
    below,
    chance,
    pick: list => {
      const picked = list[below(list.length)]
      if (picked === undefined) throw new TypeError('nothing to pick from')
      return picked
    },
    some: (list, percent) => list.filter(() => chance(percent)),
  }
}
