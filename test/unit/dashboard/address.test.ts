// Texts survive an address, whatever they look like.

import { expect, it } from 'vitest'
import { addressOf, parseSearch, stringifySearch } from '../../../dashboard/src/app/address.ts'

const TEXTS = ['42', '007', '1e3', 'true', 'false', 'null', '"quoted"', '[1]', '{', 'a b&c=d', '%00', 'ö', '']

it.each(TEXTS)('the text %j comes back as it is', text => {
  expect(parseSearch(stringifySearch({ text }))).toEqual({ text })
  expect(parseSearch(new URL(addressOf('/x', { text }), 'http://localhost').search)).toEqual({ text })
})

it('flags and lists come back as what they are, numbers as texts', () => {
  expect(parseSearch(stringifySearch({ open: true, list: ['1', 'a'] }))).toEqual({
    open: true,
    list: ['1', 'a'],
  })
  expect(parseSearch(stringifySearch({ limit: 100 }))).toEqual({ limit: '100' })
})

it('a text that somebody typed into the address is that text', () => {
  expect(parseSearch('?search=123&name=07&kind=null&id=abc')).toEqual({
    search: '123',
    name: '07',
    kind: 'null',
    id: 'abc',
  })
})
