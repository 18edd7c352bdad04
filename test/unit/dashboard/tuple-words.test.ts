import { expect, it } from 'vitest'
import { undeclaredName } from '../../../dashboard/src/parts/tuples/declared-names.ts'
import { readTuple } from '../../../dashboard/src/parts/tuples/tuple-text.ts'
import { chainWords } from '../../../dashboard/src/parts/tuples/words.ts'

it.each([
  [
    ['Project:apollo#owner@Organization:acme#admin', 'Organization:acme#admin@ann'],
    'owner',
    'ann is admin of acme, whose admins are owners of apollo',
  ],
  [['Project:apollo#owner@ann'], 'view', 'ann is owner of apollo; that gives view on apollo'],
  [
    ['Project:apollo#parent@Project:root#', 'Project:root#owner@ann'],
    'view',
    'ann is owner of root, which is parent of apollo; that gives view on apollo',
  ],
  [['Project:apollo#owner@Organization:acme#admin'], 'owner', 'admins of acme are owners of apollo'],
  [
    ['Project:apollo#viewer@Project:other#view', 'Project:other#owner@ann'],
    'viewer',
    'ann is owner of other, and whoever has view on other is viewer of apollo',
  ],
])('a chain is said in words: %j', (via, asked, words) => {
  expect(chainWords(via, asked)).toBe(words)
})

const relation = (name: string) => ({ name, types: [], declared: true, subjects: 0 })
const known = { in_file: true, on_server: true, counted_all: true, rules: [], permits: [] as string[] }
const NAMESPACES = [
  { ...known, name: 'User', relations: [] },
  { ...known, name: 'Organization', relations: [relation('member'), relation('admin')] },
  {
    ...known,
    name: 'Project',
    relations: [relation('owner'), { ...relation('boss'), declared: false }],
    permits: ['view'],
    rules: [{ permit: 'view', follows_from: 'owner' }],
  },
]

it.each([
  ['Projct:apollo#owner@ann', 'Did you mean Project?', 'Projct'],
  ['Project:apollo#ownr@ann', 'Did you mean owner?', 'ownr'],
  ['Project:apollo#boss@ann', 'Project has no relation “boss”', 'boss'],
  ['Project:apollo#view@ann', 'it follows from owner', 'view'],
  ['Project:apollo#owner@Organization:acme#admim', 'Did you mean admin?', 'admim'],
  ['Project:apollo#owner@Organization:acme', 'Organization:acme#', 'Organization:acme'],
])('a name that nobody has declared is said with the nearest: %s', (text, problem, place) => {
  const read = readTuple(text)
  if (read.outcome !== 'read') throw new Error(read.problem)
  const mistake = undeclaredName(read.tuple, NAMESPACES, 'store', read.spans)
  expect(mistake?.problem).toContain(problem)
  expect(text.slice(mistake?.at.start, mistake?.at.end)).toBe(place)
})

it('a permit can be asked about, and what is declared is right', () => {
  for (const [text, use] of [
    ['Project:apollo#view@ann', 'ask'],
    ['Project:apollo#owner@Organization:acme#admin', 'store'],
    ['Project:apollo#owner@"Organization:acme"', 'store'],
    ['User:ann#anything@ann', 'store'],
  ] as const) {
    const read = readTuple(text)
    if (read.outcome !== 'read') throw new Error(read.problem)
    expect(undeclaredName(read.tuple, NAMESPACES, use, read.spans)).toBeUndefined()
  }
})
