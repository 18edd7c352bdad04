// JSON Patch as the local OAuth2 server and the local identity provider take it, without a client or an identity
// around it.

import { describe, expect, it } from 'vitest'
import type { Json } from '../../service/json.ts'
import { applyPatch, PatchError } from '../../service/json-patch.ts'

const patch = (document: Json, ...operations: Json[]) =>
  applyPatch(document, operations, path => path === '/denied')
const add = (path: string, value: Json) => ({ op: 'add', path, value })
const replace = (path: string, value: Json) => ({ op: 'replace', path, value })
const remove = (path: string) => ({ op: 'remove', path })

describe('applyPatch', () => {
  it('leaves the document and the patch alone', () => {
    const document = { a: { b: [1] } }
    const value = { c: 1 }
    const patched = patch(document, add('/a/b/-', value), replace('/a/b/1/c', 2))
    expect(patched).toEqual({ a: { b: [1, { c: 2 }] } })
    expect(document).toEqual({ a: { b: [1] } })
    expect(value).toEqual({ c: 1 })
  })

  it('changes nothing for an empty patch and for null', () => {
    expect(patch({ a: 1 })).toEqual({ a: 1 })
    expect(applyPatch({ a: 1 }, null, () => true)).toEqual({ a: 1 })
  })

  it('adds what it replaces, and makes what is missing or null on the way, lists where an index follows', () => {
    expect(patch({}, replace('/a/b/c', 1))).toEqual({ a: { b: { c: 1 } } })
    expect(patch({ a: null }, add('/a/b', 1))).toEqual({ a: { b: 1 } })
    expect(patch({}, add('/a/2', 'x'))).toEqual({ a: [null, null, 'x'] })
    expect(patch({}, add('/a/-', 'x'))).toEqual({ a: ['x'] })
  })

  it('inserts into, replaces in and removes from lists, counting from their end when asked', () => {
    expect(patch(['a', 'b'], add('/0', 'x'))).toEqual(['x', 'a', 'b'])
    expect(patch(['a', 'b'], add('/1', 'x'))).toEqual(['a', 'x', 'b'])
    expect(patch(['a', 'b'], replace('/1', 'x'))).toEqual(['a', 'x'])
    expect(patch(['a', 'b'], replace('/-1', 'x'))).toEqual(['a', 'x'])
    expect(patch(['a', 'b'], remove('/0'))).toEqual(['b'])
  })

  it('reads ~1 and ~0 as slash and tilde, and does not look at what is before the first slash', () => {
    expect(patch({}, add('/a~1b~0', 1))).toEqual({ 'a/b~': 1 })
    expect(patch({ 'a/b': 1, '~': 2 }, remove('/a~1b'), remove('/~0'))).toEqual({})
    expect(patch({}, add('odd/a', 1))).toEqual({ a: 1 })
  })

  it('replaces the whole document by a container', () => {
    expect(patch({ a: 1 }, replace('', { b: 2 }))).toEqual({ b: 2 })
    expect(patch({ a: 1 }, replace('', []))).toEqual([])
  })

  // Prototype pollution: a patch must not change objects that are not in the document.
  it('treats names that objects inherit as any others', () => {
    const patched = patch(JSON.parse('{"a":{}}'), add('/a/__proto__/polluted', 1))
    expect(JSON.stringify(patched)).toBe('{"a":{"__proto__":{"polluted":1}}}')
    expect(Object.hasOwn(Object(patch({}, add('/__proto__/polluted', true))), '__proto__')).toBe(true)
    expect({}).not.toHaveProperty('polluted')
    expect(() => patch({}, remove('/constructor'))).toThrow(PatchError)
  })

  it.for<[Json]>([
    [{ op: 'add', path: '/a' }],
    [{ op: 'add', value: 1 }],
    [{ op: 'add', path: 1, value: 1 }],
    [{ op: 'test', path: '/a', value: 1 }],
    [{ op: 'move', from: '/a', path: '/b' }],
    [{ op: 'copy', from: '/a', path: '/b' }],
    [{ op: 'ADD', path: '/a', value: 1 }],
    [null],
    ['remove'],
    [add('a', 1)],
    [replace('a', 1)],
    [add('/DENIED', 1)],
    [replace('/DENIED', 1)],
    [replace('', 'x')],
    [remove('')],
    [remove('/zzz')],
    [remove('/zzz/b')],
    [remove('/list/5')],
    [remove('/list/-')],
    [remove('/list/-/name')],
    [add('/list/-/name', 'y')],
    [add('/list/3', 1)],
    [add('/list/5', 1)],
    [add('/list/x', 1)],
    [replace('/list/5', 1)],
    [replace('/list/-', 1)],
    [replace('/zzz/0', 1)],
    [add('/a/b', 1)],
    [add('/made/99999999999', 1)],
    [add('/list/99999999999/x', 1)],
  ])('refuses %j', ([operation]) => {
    expect(() => patch({ a: 1, list: [{ name: 'x' }] }, operation)).toThrow(PatchError)
  })

  it('refuses what is no list of operations', () => {
    for (const bad of [{}, 'x', 1]) expect(() => applyPatch({}, bad, () => false)).toThrow(PatchError)
  })

  it('says which operation could not be applied', () => {
    expect(() => patch({}, add('/a', 1), remove('/b/c'))).toThrow("error in remove for path: '/b/c'")
  })
})
