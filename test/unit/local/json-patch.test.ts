// JSON Patch as the identity provider takes it, without the identity around it.

import { describe, expect, it } from 'vitest'
import type { Json } from '../../../local/identity-server/context.ts'
import { applyPatch, PatchError } from '../../../local/identity-server/json-patch.ts'

const patch = (document: Json, ...operations: Json[]) =>
  applyPatch(document, operations, path => path === '/denied')

describe('applyPatch', () => {
  it('leaves the document it was given alone', () => {
    const document = { a: { b: [1] } }
    expect(patch(document, { op: 'add', path: '/a/b/-', value: 2 })).toEqual({ a: { b: [1, 2] } })
    expect(document).toEqual({ a: { b: [1] } })
  })

  it('makes what is missing on the way, lists where an index follows', () => {
    expect(patch({}, { op: 'replace', path: '/a/b/c', value: 1 })).toEqual({ a: { b: { c: 1 } } })
    expect(patch({}, { op: 'add', path: '/a/-', value: 1 })).toEqual({ a: [1] })
    expect(patch({ a: null }, { op: 'add', path: '/a/b', value: 1 })).toEqual({ a: { b: 1 } })
  })

  it('reads ~1 and ~0 as slash and tilde, and the empty path as the whole', () => {
    expect(
      patch({ 'a/b': 1, '~': 2 }, { op: 'remove', path: '/a~1b' }, { op: 'remove', path: '/~0' }),
    ).toEqual({})
    expect(patch({ a: 1 }, { op: 'replace', path: '', value: [] })).toEqual([])
  })

  it('inserts into, replaces in and removes from lists', () => {
    expect(patch([1, 3], { op: 'add', path: '/1', value: 2 })).toEqual([1, 2, 3])
    expect(patch([1, 3], { op: 'replace', path: '/1', value: 2 })).toEqual([1, 2])
    expect(patch([1, 3], { op: 'remove', path: '/0' })).toEqual([3])
  })

  it.each([
    [{ op: 'remove', path: '/nope' }],
    [{ op: 'remove', path: '' }],
    [{ op: 'replace', path: '/list/5', value: 1 }],
    [{ op: 'add', path: '/list/3', value: 1 }],
    [{ op: 'add', path: '/list/x', value: 1 }],
    [{ op: 'remove', path: '/list/-' }],
    [{ op: 'add', path: '/text/x', value: 1 }],
    [{ op: 'add', path: 'text', value: 1 }],
    [{ op: 'add', path: '/text' }],
    [{ op: 'add', value: 1 }],
    [{ op: 'test', path: '/text', value: 'x' }],
    [{ op: 'add', path: '/DENIED', value: 1 }],
    ['x'],
    [null],
  ])('refuses %j', operation => {
    expect(() => patch({ text: 'x', list: [1] }, operation)).toThrow(PatchError)
  })

  it('refuses a patch that is no list, and takes null for an empty one', () => {
    expect(() => applyPatch({}, {}, () => false)).toThrow(PatchError)
    expect(applyPatch({ a: 1 }, null, () => false)).toEqual({ a: 1 })
  })

  // Prototype pollution: a patch must not change objects that are not in the document.
  it('treats names that objects inherit as any others', () => {
    const patched = patch(JSON.parse('{"a":{}}'), { op: 'add', path: '/a/__proto__/x', value: 1 })
    expect(JSON.stringify(patched)).toBe('{"a":{"__proto__":{"x":1}}}')
    expect({}).not.toHaveProperty('x')
    expect(() => patch({}, { op: 'remove', path: '/constructor' })).toThrow(PatchError)
  })
})
