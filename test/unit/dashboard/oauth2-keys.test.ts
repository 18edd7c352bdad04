// Where a rotation stands, and until when tokens of an old key may be out.

import { describe, expect, it } from 'vitest'
import {
  lastTokenEndsAt,
  longestLifetime,
  rotationStep,
} from '../../../dashboard/src/views/oauth2/keys/rotation.ts'

const now = new Date('2030-01-01T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString()
const hour = { seconds: 3_600, usesDefault: false }
const key = (kid: string, created_at: string | null) => ({ kid, created_at })

describe('the longest lifetime', () => {
  const client = (id_token_ttl: number | null, access_token_ttl: number | null) => ({
    id_token_ttl,
    access_token_ttl,
  })

  it('is that of the kind of token which the set signs', () => {
    const clients = [client(60, 7_200), client(120, 600)]
    expect(longestLifetime(clients, 'hydra.openid.id-token')).toEqual({ seconds: 120, usesDefault: false })
    expect(longestLifetime(clients, 'hydra.jwt.access-token')).toEqual({ seconds: 7_200, usesDefault: false })
  })

  it('is at least the default of the server where a client leaves it to that, or there is none', () => {
    expect(longestLifetime([client(60, 60), client(null, null)], 'hydra.openid.id-token')).toEqual({
      seconds: 3_600,
      usesDefault: true,
    })
    expect(longestLifetime([], 'hydra.jwt.access-token')).toEqual({ seconds: 3_600, usesDefault: true })
  })
})

describe('the last token of a key', () => {
  const keys = [key('new', hoursAgo(0.5)), key('old', hoursAgo(100)), key('older', null)]

  it('ends a lifetime after the next key was made, or from now for the one that signs', () => {
    expect(lastTokenEndsAt(keys, 'new', hour, now)?.toISOString()).toBe('2030-01-01T13:00:00.000Z')
    expect(lastTokenEndsAt(keys, 'old', hour, now)?.toISOString()).toBe('2030-01-01T12:30:00.000Z')
    expect(lastTokenEndsAt(keys, 'older', hour, now)?.toISOString()).toBe('2029-12-28T09:00:00.000Z')
  })

  it('is not known where the next key has no date', () => {
    expect(lastTokenEndsAt([key('new', null), key('old', null)], 'old', hour, now)).toBeNull()
  })
})

describe('a rotation', () => {
  it('begins with adding, waits for the public keys and the old tokens, and ends with removing', () => {
    expect(rotationStep([], [], hour, now)).toBe('add')
    expect(rotationStep([key('only', null)], ['only'], hour, now)).toBe('add')
    const fresh = [key('new', hoursAgo(0.5)), key('old', null)]
    expect(rotationStep(fresh, ['new', 'old'], hour, now)).toBe('wait')
    const ripe = [key('new', hoursAgo(2)), key('old', null)]
    expect(rotationStep(ripe, ['old'], hour, now)).toBe('wait')
    expect(rotationStep(ripe, ['new', 'old'], hour, now)).toBe('remove')
  })
})

it('calls no old key safe to remove as long as the lifetimes are not known', () => {
  const keys = [
    { kid: 'new', created_at: '2026-01-02T00:00:00Z' },
    { kid: 'old', created_at: '2026-01-01T00:00:00Z' },
  ]
  const now = new Date('2027-01-01T00:00:00Z')
  expect(rotationStep(keys, ['new', 'old'], null, now)).toBe('wait')
  expect(rotationStep(keys, ['new', 'old'], { seconds: 3_600, usesDefault: false }, now)).toBe('remove')
})
