// The editor of OAuth2 clients: what it sends, and what it calls wrong before the server does.

import { expect, it } from 'vitest'
import {
  bodyOf,
  changedFields,
  changeOf,
  EMPTY_DRAFT,
} from '../../../dashboard/src/views/oauth2/clients/editor/draft.ts'
import {
  possibleResponseTypes,
  responseTypesAfter,
} from '../../../dashboard/src/views/oauth2/clients/editor/grants.ts'
import {
  metadataProblem,
  redirectUriProblem,
  uriProblems,
  wrongFields,
} from '../../../dashboard/src/views/oauth2/clients/editor/problems.ts'
import { redirectUriProblem as problemOfTheServer } from '../../../src/features/oauth/clients/uris.ts'

const RIGHT = [
  'https://app.example.com/callback',
  'https://app.example.com:8443/callback?from=here',
  'http://127.0.0.1:5999/callback',
  'http://localhost/callback',
  'http://app.localhost/callback',
  'http://[::1]:80/',
  'com.example.app:/callback',
  'myapp://callback',
]
const WRONG = [
  'callback',
  '/callback',
  '//app.example.com/callback',
  'https://app.example.com/callback#part',
  'http://app.example.com/callback',
  'http://127.0.0.1.example.com/',
  'https:/app.example.com',
  'https://user:password@app.example.com/',
  'https://*.example.com/',
  'https://app.example.com/a b',
  'javascript:alert(1)',
  'data:text/html,x',
  'myapp:/{id}',
]

it('takes every redirect URI that the server takes', () => {
  expect(RIGHT.map(problemOfTheServer)).toEqual(RIGHT.map(() => undefined))
  expect(RIGHT.map(redirectUriProblem)).toEqual(RIGHT.map(() => undefined))
})

it.each(WRONG)('says of %s what the server says', uri => {
  const problem = problemOfTheServer(uri) ?? ''
  expect(redirectUriProblem(uri)).toBe(problem.charAt(0).toUpperCase() + problem.slice(1))
})

it('names the row that is there twice, and no empty one', () => {
  expect(uriProblems(['myapp:/a', '', 'myapp:/b', ' myapp:/a ', ''])).toEqual([
    undefined,
    undefined,
    undefined,
    'Is the same as number 1',
    undefined,
  ])
})

it('sends the fields that were changed and no others', () => {
  const stored = { ...EMPTY_DRAFT, client_name: 'Shop', redirect_uris: ['myapp:/a'], metadata: '{ "a": 1 }' }
  const edited = { ...stored, client_name: 'Shop 2', redirect_uris: ['myapp:/a', ' '], metadata: '{"a":1}' }
  expect(changeOf(stored, edited)).toEqual({ client_name: 'Shop 2' })
  expect(changeOf(stored, { ...stored, scope: ['a', 'b'] })).toEqual({ scope: 'a b' })
  expect(changeOf({ ...stored, scope: ['a'] }, stored)).toEqual({ scope: null })
  expect(changeOf({ ...stored, tos_uri: 'https://a.example' }, stored)).toEqual({ tos_uri: null })
})

it('sends no empty row', () => {
  expect(bodyOf({ ...EMPTY_DRAFT, redirect_uris: ['', ' myapp:/a ', ''] }).redirect_uris).toEqual([
    'myapp:/a',
  ])
})

it('does not hold up a change of other fields for what was odd before', () => {
  const odd = { ...EMPTY_DRAFT, redirect_uris: ['http://app.example.com/'] }
  expect(wrongFields(odd, { ...odd, client_name: 'New' })).toEqual([])
  expect(wrongFields(odd, { ...odd, redirect_uris: [...odd.redirect_uris, 'x'] })).toEqual(['redirect_uris'])
  expect(changedFields(odd, { ...odd, metadata: '[' })).toEqual(['metadata'])
  expect(wrongFields(odd, { ...odd, metadata: '[' })).toEqual(['metadata'])
})

it('takes an object for metadata, and nothing else', () => {
  expect(['', '{}', '{"a":[1]}'].map(metadataProblem)).toEqual([undefined, undefined, undefined])
  expect(metadataProblem('[]')).toMatch(/^Must be an object/)
  expect(metadataProblem('null')).toMatch(/^Must be an object/)
  expect(metadataProblem('{')).toMatch(/^Is no JSON: /)
})

it('offers the response types of the grants, and drops those whose grant is gone', () => {
  expect(possibleResponseTypes(['client_credentials'])).toEqual([])
  expect(possibleResponseTypes(['authorization_code'])).toEqual(['code'])
  const both = ['authorization_code', 'implicit']
  expect(possibleResponseTypes(both)).toContain('code id_token')
  expect(responseTypesAfter([], [], ['authorization_code'])).toEqual(['code'])
  expect(responseTypesAfter(['code', 'code id_token'], both, ['authorization_code'])).toEqual(['code'])
  expect(responseTypesAfter([], ['authorization_code'], ['authorization_code'])).toEqual([])
})
