// JSON Patch as the admin APIs of clients and identities take it. Pure.

import { describe, expect, it } from 'vitest'
import type { Json } from '../../service/json.ts'
import { applyPatch, PatchError } from '../../service/json-patch.ts'

const apply = (document: Json, ...patch: Json[]) => applyPatch(document, patch, path => path === '/denied')
const add = (path: string, value: Json = 'new') => ({ op: 'add', path, value })
const replace = (path: string, value: Json = 'new') => ({ op: 'replace', path, value })
const remove = (path: string) => ({ op: 'remove', path })

describe('applyPatch', () => {
  it('answers a copy, unchanged for an empty patch and for null', () => {
    const document = { a: { b: 1 } }
    expect(apply(document, replace('/a/b'))).toEqual({ a: { b: 'new' } })
    for (const nothing of [[], null])
      expect(applyPatch(document, nothing, () => true)).toEqual({ a: { b: 1 } })
    expect(document).toEqual({ a: { b: 1 } })
  })

  it.for<[Json, Json[], Json]>([
    [{}, [replace('/a'), add('/b/c')], { a: 'new', b: { c: 'new' } }],
    [{ a: null }, [add('/a/b')], { a: { b: 'new' } }],
    [{ a: 1, b: 2 }, [remove('/a')], { b: 2 }],
    [{ l: [1, 2] }, [add('/l/0'), add('/l/-', 3)], { l: ['new', 1, 2, 3] }],
    [{ l: [1, 2] }, [replace('/l/1'), remove('/l/0')], { l: ['new'] }],
    [{ l: [{ a: 1 }] }, [replace('/l/0/a')], { l: [{ a: 'new' }] }],
    [{ 'a/b': 1, 'c~d': 2 }, [remove('/a~1b'), replace('/c~0d')], { 'c~d': 'new' }],
    [{ a: 1 }, [replace('', { b: 2 })], { b: 2 }],
  ])('makes of %j by %j %j', ([document, patch, expected]) => {
    expect(apply(document, ...patch)).toEqual(expected)
  })

  it('treats names that objects inherit as any others', () => {
    const changed = apply({}, add('/__proto__/polluted', true), add('/constructor/prototype', 1))
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}')
    expect({}).not.toHaveProperty('polluted')
    expect(() => apply({}, remove('/toString'))).toThrow(PatchError)
  })

  it.for<Json>([
    ...[
      null,
      'remove',
      { op: 'test', path: '/a', value: 1 },
      { op: 'add', path: '/a' },
      { op: 'add', value: 1 },
    ],
    ...[remove('/none'), remove('/none/deeper'), remove(''), replace('', 1), add('a'), add('/text/x')],
    ...[add('/list/3'), replace('/list/2'), remove('/list/2'), add('/list/x'), add('/denied')],
  ])('refuses %j', operation => {
    expect(() => apply({ text: 'x', list: [1, 2] }, operation)).toThrow(PatchError)
  })

  it('refuses what is no list of operations', () => {
    for (const patch of [{}, 'x', 1, true])
      expect(() => applyPatch({}, patch, () => false)).toThrow(PatchError)
  })
})
