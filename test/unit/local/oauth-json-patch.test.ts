// JSON Patch as the OAuth2 server takes it, without the client around it.

import { describe, expect, it } from 'vitest'
import { applyPatch, PatchError } from '../../../local/oauth-server/wire/json-patch.ts'

const patch = (document: unknown, ...operations: unknown[]) => applyPatch(document, operations, ['/id'])
const add = (path: string, value: unknown) => ({ op: 'add', path, value })
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
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
    expect(applyPatch({ a: 1 }, null, [])).toEqual({ a: 1 })
  })

  it('adds what it replaces, and makes what is missing or null on the way', () => {
    expect(patch({}, replace('/a/b/c', 1))).toEqual({ a: { b: { c: 1 } } })
    expect(patch({ a: null }, add('/a/b', 1))).toEqual({ a: { b: 1 } })
    expect(patch({}, add('/a/2', 'x'))).toEqual({ a: [null, null, 'x'] })
    expect(patch({}, add('/a/-', 'x'))).toEqual({ a: ['x'] })
  })

  it('reaches into lists, counting from their end when asked', () => {
    expect(patch(['a', 'b'], add('/0', 'x'))).toEqual(['x', 'a', 'b'])
    expect(patch(['a', 'b'], replace('/-1', 'x'))).toEqual(['a', 'x'])
    expect(patch(['a', 'b'], remove('/0'))).toEqual(['b'])
  })

  it('reads ~1 and ~0 as slash and tilde, and does not look at what is before the first slash', () => {
    expect(patch({}, add('/a~1b~0', 1))).toEqual({ 'a/b~': 1 })
    expect(patch({}, add('odd/a', 1))).toEqual({ a: 1 })
  })

  it('replaces the whole document by a container', () => {
    expect(patch({ a: 1 }, replace('', { b: 2 }))).toEqual({ b: 2 })
  })

  it('never touches what an object inherits', () => {
    const patched = patch({}, add('/__proto__/polluted', true))
    expect(Object.hasOwn(Object(patched), '__proto__')).toBe(true)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it.for([
    [{ op: 'add', path: '/a' }],
    [{ op: 'add', value: 1 }],
    [{ op: 'add', path: 1, value: 1 }],
    [{ op: 'test', path: '/a', value: 1 }],
    [{ op: 'move', from: '/a', path: '/b' }],
    [{ op: 'copy', from: '/a', path: '/b' }],
    [{ op: 'ADD', path: '/a', value: 1 }],
    [null],
    ['remove'],
    [replace('a', 1)],
    [replace('/ID', 1)],
    [replace('', 'x')],
    [remove('')],
    [remove('/zzz')],
    [remove('/zzz/b')],
    [remove('/list/5')],
    [remove('/list/-')],
    [add('/list/5', 1)],
    [add('/list/x', 1)],
    [replace('/list/5', 1)],
    [replace('/list/-', 1)],
    [add('/a/b', 1)],
    [add('/made/99999999999', 1)],
    [add('/list/99999999999/x', 1)],
  ] as const)('refuses %j', ([operation]) => {
    expect(() => patch({ a: 1, list: ['x'] }, operation)).toThrow(PatchError)
  })

  it('refuses what is no list of operations', () => {
    for (const bad of [{}, 'x', 1]) expect(() => applyPatch({}, bad, [])).toThrow(PatchError)
  })
})
