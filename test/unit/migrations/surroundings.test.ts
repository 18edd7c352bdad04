// What a migration's code changes outside of itself is told by name and put back: the Worker goes on afterwards.

import { expect, it, vi } from 'vitest'
import type { MigrationFile } from '../../../src/features/migrations/migration-file.ts'
import { planOf, shorthandsOf } from '../../../src/features/migrations/runner/migration-steps.ts'
import { Surroundings } from '../../../src/features/migrations/surroundings.ts'

// biome-ignore lint/suspicious/noExplicitAny: code of migrations has no types.
type Load = (exports: any, require: (name: string) => any, module: any, process: any) => void

function fileOf(load: Load, name = '0001_a.cjs'): MigrationFile {
  const recordedAs = name.replace('.cjs', '')
  return {
    name,
    path: name,
    recordedAs,
    text: '',
    hash: '',
    load: load as NonNullable<MigrationFile['load']>,
  }
}

const planned = (load: Load) => planOf(fileOf(load), 'up', {})
const classOf = <T>(value: T) => value as unknown as Record<string, unknown>
const spread = classOf(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())))

it.each<[string, () => unknown]>([
  ['Array.prototype.last', () => Object.assign(Array.prototype, { last: () => 1 })],
  ['Object.prototype.isAdmin', () => Object.assign(Object.prototype, { isAdmin: true })],
  ['globalThis.fetch', () => Object.assign(globalThis, { fetch: () => new Response('mine') })],
  ['globalThis.counter', () => Object.assign(globalThis, { counter: 1 })],
  ['JSON.parse', () => Object.assign(JSON, { parse: () => ({ role: 'service_role' }) })],
  ['String.prototype.trim', () => Reflect.deleteProperty(String.prototype, 'trim')],
  ['Promise.prototype.then', () => Reflect.set(Promise.prototype, 'then', () => undefined)],
  ['Iterator.prototype.each', () => Object.assign(spread, { each: 1 })],
  ['Intl.NumberFormat.prototype.plus', () => Object.assign(Intl.NumberFormat.prototype, { plus: 1 })],
  ['the prototype of Response.prototype', () => Object.setPrototypeOf(Response.prototype, { last: 1 })],
  ['crypto.subtle.verify', () => Object.assign(crypto.subtle, { verify: async () => true })],
  ['crypto.randomUUID', () => Object.assign(crypto, { randomUUID: () => '1' })],
  ['performance.now', () => Object.assign(performance, { now: () => 0 })],
  ['Response.prototype.json', () => Object.assign(Response.prototype, { json: 1 })],
  ['Math.random', () => Object.defineProperty(Math, 'random', { get: () => () => 4, configurable: true })],
])('%s: told and put back, at its loading, in its function, and behind an await', async (name, change) => {
  const before = new Surroundings()
  for (const load of [
    exports => {
      change()
      exports.up = () => undefined
    },
    exports => {
      exports.up = () => void change()
    },
    exports => {
      exports.up = async () => {
        await new Promise(resolve => setTimeout(resolve, 0))
        change()
      }
    },
    exports => {
      exports.up = () => {
        change()
        throw new Error('something else')
      }
    },
  ] satisfies Load[]) {
    expect((await planned(load)).unknown).toBe(
      `0001_a.cjs changes ${name}, which is not its own: a migration may change nothing outside of itself. ` +
        'It was put back.',
    )
    expect(before.restore()).toBeUndefined()
  }
})

it('told and put back: what a getter of its exports changes', async () => {
  const before = new Surroundings()
  const change = () => Object.assign(Array.prototype, { last: 1 })
  const getters: Load[] = [
    exports => Object.defineProperty(exports, 'up', { get: () => void change() }),
    exports => Object.defineProperty(exports, 'shorthands', { get: change }),
    exports => {
      exports.shorthands = Object.defineProperty({}, 'id', { enumerable: true, get: change })
    },
    (_exports, _require, module) => {
      Object.assign(module, { exports: new Proxy({}, { get: change }) })
    },
  ]
  for (const load of getters) {
    expect((await planned(load)).unknown).toContain('0001_a.cjs changes Array.prototype.last')
    shorthandsOf([fileOf(load)])
    expect(before.restore()).toBeUndefined()
  }
})

it('put back: what a file has changed that never ends', async () => {
  vi.useFakeTimers()
  try {
    const before = new Surroundings()
    const plan = planned(exports => {
      exports.up = () => {
        setTimeout(() => Object.assign(Array.prototype, { late: 1 }), 10)
        return new Promise(() => undefined)
      }
    })
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await plan).toMatchObject({ neverEnds: true })
    expect(before.restore()).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})

it('files hand nothing to each other', async () => {
  const writer: Load = (_exports, require, _module, process) => {
    process.env.SECRET = 'x'
    require('node-pg-migrate').seen = true
    Object.assign(globalThis, { seen: true })
    Object.assign(require('node-pg-migrate').PgLiteral, { seen: true })
  }
  const found: unknown[] = []
  const reader: Load = (exports, require, _module, process) => {
    const { seen, PgLiteral } = require('node-pg-migrate')
    found.push(process.env.SECRET, seen, classOf(globalThis)['seen'], PgLiteral.seen)
    exports.shorthands = { id: 'serial' }
  }
  const shorthands = shorthandsOf([fileOf(writer), fileOf(reader, '0002_b.cjs')])
  expect(found).toEqual([undefined, undefined, undefined, undefined])
  expect(shorthands.get('0002_b.cjs')).toEqual({ id: 'serial' })
})

it('what a file uses and does not change is nothing to tell', async () => {
  const plan = await planned((exports, require) => {
    const { PgLiteral } = require('node-pg-migrate')
    class Own extends Array {}
    Object.assign(Own.prototype, { last: 1 })
    exports.up = async (pgm: { sql(text: unknown): void; func(text: string): unknown }) => {
      structuredClone({ at: new URL('https://a.test').href })
      pgm.sql(`select ${String(new PgLiteral('1'))}, ${JSON.stringify([...new Map([[1, new Own()]])])}`)
    }
  })
  expect(plan.unknown).toBeUndefined()
  expect(plan.texts).toHaveLength(1)
})
