// What views make of the search params that somebody typed into the address.

import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it, vi } from 'vitest'
import { parseSearch } from '../../../dashboard/src/app/address.ts'

interface Search {
  shape: object
  parse: (raw: object) => Record<string, unknown>
}

interface View {
  options?: { path?: string; validateSearch?: Search }
}

// The flow tester reads its own address when it is loaded.
vi.stubGlobal('location', new URL('http://localhost/dashboard'))

// By computed names: the compiler would follow them into pages, which are of another program.
const files = globSync('dashboard/src/views/**/view.ts').map(file => resolve(file))
const modules: Record<string, View>[] = await Promise.all(files.map(file => import(file)))
const searches = new Map(
  modules
    .flatMap(module => Object.values(module))
    .flatMap(({ options: { path = '/', validateSearch } = {} }) =>
      validateSearch === undefined ? [] : [[path, validateSearch] as const],
    ),
)

/** The router lays what a view makes of the search over the search: what is left out would come back. */
function read(path: string, raw: Record<string, unknown>): Record<string, unknown> {
  return { ...raw, ...searches.get(path)?.parse(raw) }
}

const FILTERS = [
  ['/webhooks', 'state', 'paused'],
  ['/webhooks/$id', 'outcome', 'succeeded'],
  ['/webhooks/$id', 'event', 'TEST'],
  ['/database/migrations', 'state', 'orphaned'],
] as const

it.each(FILTERS)('%s takes for %s a word that there is, and no other', (path, name, known) => {
  expect(read(path, { [name]: known })[name]).toBe(known)
  expect(read(path, { [name]: 'bogus' })[name]).toBeUndefined()
})

const params = [...searches].flatMap(([path, { shape }]) => Object.keys(shape).map(name => ({ path, name })))

it('there are views with search params', () => {
  expect(params.length).toBeGreaterThan(50)
})

it.each(params)('$path takes no object for the text “$name”', ({ path, name }) => {
  const raw = parseSearch(`?${name}={"a":1}`)
  expect(raw).toEqual({ [name]: { a: 1 } })
  expect(`${read(path, raw)[name]}`).not.toContain('[object')
})
