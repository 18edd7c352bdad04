import { describe, expect, it } from 'vitest'
import { readCredentials } from '../../../src/http/admission/credentials.ts'

const read = (headers: Record<string, string>, takesBasicAuth = false) =>
  readCredentials({
    request: new Request('http://quoin.test/', { headers }),
    takesBasicAuth,
    takesKeyInQuery: false,
  })

describe('readCredentials', () => {
  it('takes the key from apikey, from the bearer token, or from both when they are the same', () => {
    const expected = { apiKey: 'svc_pk_1', accessToken: undefined }
    expect(read({ apikey: 'svc_pk_1' })).toEqual(expected)
    expect(read({ authorization: 'Bearer svc_pk_1' })).toEqual(expected)
    expect(read({ apikey: 'svc_pk_1', authorization: 'bearer svc_pk_1' })).toEqual(expected)
  })

  it('takes the key as the password of basic auth, only where the route does', () => {
    const headers = { authorization: `Basic ${btoa('prometheus:svc_sk_1')}` }
    expect(read(headers, true)).toEqual({ apiKey: 'svc_sk_1', accessToken: undefined })
    expect(() => read(headers)).toThrow(/not of the form "Bearer/)
    for (const text of ['svc_sk_1', 'svc_sk_1:', 'name:other', 'name:', ''])
      expect(() => read({ authorization: `Basic ${btoa(text)}` }, true)).toThrow(/password of basic auth/)
    expect(() => read({ authorization: 'Basic !' }, true)).toThrow(/password of basic auth/)
  })

  it('takes any other bearer token as the access token of an end user', () => {
    expect(read({ apikey: 'svc_pk_1', authorization: 'Bearer a.b.c' })).toEqual({
      apiKey: 'svc_pk_1',
      accessToken: 'a.b.c',
    })
  })

  it('refuses two different keys, because which one counts would be a guess', () => {
    expect(() => read({ apikey: 'svc_pk_1', authorization: 'Bearer svc_sk_2' })).toThrow(/different API keys/)
  })

  it('refuses a request without a key, even with an access token', () => {
    expect(() => read({})).toThrow(/No API key/)
    expect(() => read({ authorization: 'Bearer a.b.c' })).toThrow(/No API key .* Bearer is none/)
  })

  // Ignoring it would silently serve a signed-in user as an anonymous one.
  it.each(['Basic dTpw', 'Bearer', 'Bearer a b', 'token'])(
    'refuses the Authorization header "%s"',
    authorization => {
      expect(() => read({ apikey: 'svc_pk_1', authorization })).toThrow(/Bearer <token>/)
    },
  )
})
