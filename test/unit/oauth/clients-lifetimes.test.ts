// Lifetimes: seconds here, a Go duration for each grant there.

import { describe, expect, it } from 'vitest'
import { WireClient } from '../../../src/clients/oauth-server/client-record.ts'
import { lifespansOf, readTtl } from '../../../src/features/oauth/clients/token-lifetimes.ts'
import { parseGoDuration, toGoDuration } from '../../../src/lib/duration.ts'

describe('a Go duration', () => {
  it.each([
    ['1h0m0s', 3600],
    ['1h30m10s', 5410],
    ['720h0m0s', 2_592_000],
    ['3600s', 3600],
    ['90m', 5400],
    ['0s', 0],
    ['0', 0],
    ['1.5h', 5400],
    ['1500ms', 1],
    ['999ms', 0],
    ['1m0.5s', 60],
    ['100000µs', 0],
    ['2000000us', 2],
    ['1000000000ns', 1],
    ['0.1s0.1s0.1s0.1s0.1s0.1s0.1s0.1s0.1s0.1s', 1],
    ['-5s', -5],
    ['-0s', 0],
    ['+5s', 5],
  ])('%s is %i whole seconds', (text, seconds) => {
    expect(parseGoDuration(text)).toBe(seconds)
  })

  it.each(['', 's', '5', '1h 5m', '1d', 'soon', '5sx', '1h-5m', '.s', '--5s'])('is not %j', text => {
    expect(parseGoDuration(text)).toBeUndefined()
  })

  it('of whole seconds reads back as the same', () => {
    for (const seconds of [1, 59, 3600, 315_360_000])
      expect(parseGoDuration(toGoDuration(seconds))).toBe(seconds)
  })
})

describe('a lifetime', () => {
  it('sets the field of every grant, and null clears them', () => {
    expect(lifespansOf('access_token_ttl', 3600)).toEqual({
      authorization_code_grant_access_token_lifespan: '3600s',
      client_credentials_grant_access_token_lifespan: '3600s',
      device_authorization_grant_access_token_lifespan: '3600s',
      implicit_grant_access_token_lifespan: '3600s',
      jwt_bearer_grant_access_token_lifespan: '3600s',
      refresh_token_grant_access_token_lifespan: '3600s',
    })
    expect(lifespansOf('refresh_token_ttl', 60)).toEqual({
      authorization_code_grant_refresh_token_lifespan: '60s',
      device_authorization_grant_refresh_token_lifespan: '60s',
      refresh_token_grant_refresh_token_lifespan: '60s',
    })
    expect(lifespansOf('id_token_ttl', null)).toEqual({
      authorization_code_grant_id_token_lifespan: null,
      device_authorization_grant_id_token_lifespan: null,
      implicit_grant_id_token_lifespan: null,
      refresh_token_grant_id_token_lifespan: null,
    })
  })

  it('is that of the first grant that the client may use, where they differ', () => {
    const lifespans = {
      authorization_code_grant_access_token_lifespan: '1h0m0s',
      client_credentials_grant_access_token_lifespan: '5m0s',
    }
    const read = (grant_types: string[]) =>
      readTtl(WireClient.parse({ client_id: 'c', grant_types, ...lifespans }), 'access_token_ttl')
    expect(read(['client_credentials', 'authorization_code'])).toBe(3600)
    expect(read(['client_credentials'])).toBe(300)
    expect(read(['implicit'])).toBeNull()
    expect(read([])).toBe(3600)
  })
})
