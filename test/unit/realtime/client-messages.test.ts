// What clients push, where it is odd.

import { describe, expect, test } from 'vitest'
import { readAccessToken } from '../../../src/features/realtime/wire/access-token.ts'
import {
  isHeartbeat,
  pushedBroadcastFrame,
  readBroadcast,
  readPresence,
} from '../../../src/features/realtime/wire/client-messages.ts'
import { readFrame } from '../../../src/features/realtime/wire/frames.ts'
import { encoded } from './supabase.ts'

const frame = (event: string, payload: string) =>
  readFrame('2.0.0', `["1","2","realtime:t","${event}",${payload}]`)

describe('a broadcast in text', () => {
  test('goes on word by word, digits and all', () => {
    const json = '{"type":"broadcast","event":"e","payload":{"id":12345678901234567890}, "hops":1.0}'
    const push = readBroadcast(frame('broadcast', json))
    expect(push).toEqual({ form: 'text', event: 'e', json })
    if (push === undefined) return
    const whole = `"topic":"realtime:t","event":"broadcast","payload":${json},"ref":null`
    expect(pushedBroadcastFrame('1.0.0', 'realtime:t', push)).toBe(`{${whole}}`)
    expect(pushedBroadcastFrame('2.0.0', 'realtime:t', push)).toBe(
      `[null,null,"realtime:t","broadcast",${json}]`,
    )
  })

  test('of the client for .NET has its name outside, and goes on as it is (realtime-csharp#36)', () => {
    const sent =
      '{"type":"joined","topic":"realtime:t","event":"broadcast","payload":{"playerId":"p"},"ref":"9"}'
    expect(readBroadcast(readFrame('1.0.0', sent))).toEqual({
      form: 'text',
      event: null,
      json: '{"playerId":"p"}',
    })
  })

  test('may name no event', () => {
    expect(readBroadcast(frame('broadcast', '{"event":5}'))).toMatchObject({ event: null })
  })

  test.each(['[]', '"text"', '5'])('is refused as %s', payload => {
    expect(() => readBroadcast(frame('broadcast', payload))).toThrow(
      /^InvalidBroadcastPayload: expected an object/,
    )
  })
})

test('a broadcast that is to be stored for replay is refused: the client would count on it', () => {
  const payload = { event: 'e', payload: 1, persist: true }
  const pushed = readFrame('2.0.0', encoded({ topic: 'realtime:t', event: 'broadcast', payload }))
  expect(() => readBroadcast(pushed)).toThrow(/^UnableToPersistMessage: .*realtime\.send/)
})

test('another message is no broadcast', () => {
  expect(readBroadcast(frame('presence', '{"type":"broadcast","event":"e","payload":{}}'))).toBeUndefined()
})

describe('presence', () => {
  test.each<[string, unknown, object]>([
    [
      'track',
      { type: 'presence', event: 'track', payload: { at: 1 } },
      { event: 'track', payload: { at: 1 } },
    ],
    ['track in capitals', { event: 'TRACK', payload: {} }, { event: 'track', payload: {} }],
    ['track of nothing', { event: 'track' }, { event: 'track', payload: {} }],
    ['untrack, whatever it carries', { event: 'untrack', payload: 5 }, { event: 'untrack' }],
  ])('%s', (_, payload, expected) => {
    expect(readPresence(payload)).toEqual(expected)
  })

  test.each<[unknown, RegExp]>([
    [{ event: 'track', payload: [] }, /^InvalidPresencePayload: Presence track payload must be a map$/],
    [{ event: 'track', payload: 'here' }, /^InvalidPresencePayload: /],
    [{ event: 'move' }, /^UnknownPresenceEvent: /],
    [{}, /^UnknownPresenceEvent: /],
    ['track', /^UnknownPresenceEvent: /],
  ])('%j is refused', (payload, why) => {
    expect(() => readPresence(payload)).toThrow(why)
  })
})

describe('a token', () => {
  test.each<[unknown, string | undefined]>([
    [{ access_token: 'a.b.c' }, 'a.b.c'],
    [{ access_token: null }, undefined],
    [{ access_token: 5 }, undefined],
    [{}, undefined],
    [null, undefined],
    [{ access_token: 'sb_secret_x' }, undefined],
    [{ access_token: 'svc_pk_x' }, undefined],
  ])('in %j is %s', (payload, expected) => {
    expect(readAccessToken(payload)).toBe(expected)
  })

  test('that is too long is refused', () => {
    expect(() => readAccessToken({ access_token: 'x'.repeat(16_385) })).toThrow(/^MalformedJWT: /)
  })
})

test.each([
  ['phoenix', 'heartbeat', true],
  ['phoenix', 'phx_join', false],
  ['realtime:phoenix', 'heartbeat', false],
])('%s %s is a heartbeat: %s', (topic, event, expected) => {
  expect(isHeartbeat({ joinRef: null, ref: null, topic, event })).toBe(expected)
})
