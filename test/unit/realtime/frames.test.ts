// Frames of both versions, against the serializer of @supabase/realtime-js and against anything at all.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BroadcastPayload,
  broadcastFrame,
  FrameError,
  isStale,
  messageFrame,
  type Ref,
  readFrame,
  type Vsn,
} from '../../../src/features/realtime/wire/frames.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'
import { decoded, encoded } from './supabase.ts'

const json = (text: string): BroadcastPayload => ({ encoding: 'json', json: text })
const binary = (bytes: Uint8Array): BroadcastPayload => ({ encoding: 'binary', bytes })
const name = fc.string({ unit: 'grapheme', maxLength: 20 })
const value = fc.jsonValue({ maxDepth: 4 })

/** A frame of kind 3 by hand: five texts, the encoding, the payload. */
function pushBytes(texts: (string | Uint8Array)[], encoding: number, payload: string | Uint8Array = '') {
  const parts = texts.map(part => (typeof part === 'string' ? encodeUtf8(part) : part))
  const body = typeof payload === 'string' ? encodeUtf8(payload) : payload
  return Uint8Array.from([
    3,
    ...parts.map(part => part.length),
    encoding,
    ...parts.flatMap(part => [...part]),
    ...body,
  ])
}

describe('what realtime-js sends', () => {
  test('of any JSON broadcast arrives with its payload as it was written', () => {
    fc.assert(
      fc.property(name, name, fc.option(name), value, (topic, event, ref, payload) => {
        const frame = encoded({
          topic,
          event: 'broadcast',
          ref,
          join_ref: '7',
          payload: { type: 'broadcast', event, payload },
        })
        expect(readFrame('2.0.0', frame)).toEqual({
          kind: 'broadcast',
          joinRef: '7',
          ref: ref === '' ? null : ref,
          topic,
          event,
          metadata: {},
          payload: json(JSON.stringify(payload ?? {})),
        })
      }),
    )
  })

  test('of bytes arrives as those bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes => {
        const frame = encoded({
          topic: 't',
          event: 'broadcast',
          payload: { event: 'e', payload: bytes.slice().buffer },
        })
        expect(readFrame('2.0.0', frame)).toMatchObject({ joinRef: null, ref: null, payload: binary(bytes) })
      }),
    )
  })

  test('beside the payload arrives as metadata', () => {
    const frame = encoded({
      topic: 't',
      event: 'broadcast',
      payload: { event: 'e', payload: 1, persist: true, other: 1 },
    })
    expect(readFrame('2.0.0', frame)).toMatchObject({ metadata: { persist: true } })
  })

  test('of any other message arrives as text', () => {
    fc.assert(
      fc.property(name, fc.option(name), fc.option(name), value, (topic, ref, joinRef, payload) => {
        const frame = encoded({ topic, event: 'presence', ref, join_ref: joinRef, payload: { payload } })
        expect(readFrame('2.0.0', frame)).toEqual({
          kind: 'message',
          joinRef,
          ref,
          topic,
          event: 'presence',
          // As JSON has it: -0 is 0.
          payload: JSON.parse(JSON.stringify({ payload })),
          payloadJson: JSON.stringify({ payload }),
        })
      }),
    )
  })
})

describe('what realtime-js reads', () => {
  test('is every message', () => {
    fc.assert(
      fc.property(
        name,
        name,
        fc.option(name),
        fc.option(name),
        value,
        (topic, event, ref, joinRef, payload) => {
          const frame = messageFrame('2.0.0', { joinRef, ref, topic, event }, JSON.stringify(payload))
          expect(decoded(frame)).toEqual({
            join_ref: joinRef,
            ref,
            topic,
            event,
            payload: JSON.parse(JSON.stringify(payload)),
          })
        },
      ),
    )
  })

  test.each([
    ['JSON', json('{"a":1}'), { a: 1 }, undefined],
    ['JSON with metadata', json('[1]'), [1], { id: 'x', replayed: true }],
    ['bytes', binary(Uint8Array.of(0, 255)), Uint8Array.of(0, 255).buffer, undefined],
  ])('is a broadcast of %s in bytes', (_, payload, expected, meta) => {
    const frame = broadcastFrame('2.0.0', 'realtime:ä', 'tick 😀', payload, meta)
    expect(frame).toBeInstanceOf(Uint8Array)
    const body = { type: 'broadcast', event: 'tick 😀', payload: expected, ...(meta && { meta }) }
    expect(decoded(frame)).toEqual({
      join_ref: null,
      ref: null,
      topic: 'realtime:ä',
      event: 'broadcast',
      payload: body,
    })
  })

  test.each([
    ['an event of 255 bytes', 'e'.repeat(255), {}, 'bytes'],
    ['an event above 255 bytes', 'e'.repeat(256), {}, 'text'],
    ['an event above 255 bytes of fewer characters', 'ä'.repeat(128), {}, 'text'],
    ['metadata above 255 bytes', 'e', { id: 'i'.repeat(255) }, 'text'],
    ['an event that UTF-8 has no bytes for', 'half \ud83d', {}, 'text'],
  ])('is a JSON broadcast with %s', (_, event, meta, form) => {
    const frame = broadcastFrame('2.0.0', 'realtime:t', event, json('{"n":1}'), meta)
    expect(typeof frame).toBe(form === 'text' ? 'string' : 'object')
    expect(decoded(frame)).toMatchObject({
      event: 'broadcast',
      payload: { type: 'broadcast', event, payload: { n: 1 }, meta },
    })
  })

  test('is no broadcast of bytes whose event does not fit', () => {
    expect(broadcastFrame('2.0.0', 'realtime:t', 'e'.repeat(256), binary(Uint8Array.of(1)))).toBeUndefined()
  })
})

describe('version 1.0.0', () => {
  test('has messages as objects, without join_ref', () => {
    const frame = messageFrame(
      '1.0.0',
      { joinRef: '1', ref: '2', topic: 'realtime:"t"', event: 'system' },
      '{"n":1}',
    )
    expect(JSON.parse(frame)).toEqual({ topic: 'realtime:"t"', event: 'system', payload: { n: 1 }, ref: '2' })
  })

  test('has broadcasts as text, and none of bytes', () => {
    const frame = broadcastFrame('1.0.0', 'realtime:t', 'e', json('{"n":1}'), { id: 'x' })
    expect(JSON.parse(String(frame))).toEqual({
      topic: 'realtime:t',
      event: 'broadcast',
      payload: { type: 'broadcast', event: 'e', payload: { n: 1 }, meta: { id: 'x' } },
      ref: null,
    })
    expect(broadcastFrame('1.0.0', 'realtime:t', 'e', binary(Uint8Array.of(1)))).toBeUndefined()
  })

  test('has no binary frames', () => {
    expect(() => readFrame('1.0.0', Uint8Array.of(3, 0, 0, 0, 0, 0, 0))).toThrow(FrameError)
  })

  // What clients in the field send (supabase-js#1862, supabase-py#1626, supabase-flutter#1284, supabase-kt#1402).
  test.each([
    ['a ref that is missing', '{"topic":"t","event":"e","payload":{}}', { ref: null, joinRef: null }],
    [
      'refs that are null',
      '{"topic":"t","event":"e","payload":{},"ref":null,"join_ref":null}',
      { ref: null, joinRef: null },
    ],
    [
      'refs that are numbers, which go back as numbers',
      '{"topic":"t","event":"e","payload":{},"ref":2,"join_ref":1}',
      { ref: 2, joinRef: 1 },
    ],
    [
      'a name of its own for join_ref',
      '{"topic":"t","event":"e","payload":{},"ref":"2","joinRef":"1"}',
      { joinRef: null },
    ],
    ['no payload', '{"topic":"t","event":"phx_leave","ref":"2"}', { payload: {}, payloadJson: '{}' }],
    [
      'a payload of null',
      '{"topic":"t","event":"phx_leave","payload":null,"ref":"2"}',
      { payload: {}, payloadJson: '{}' },
    ],
    [
      'white space everywhere',
      ' { "topic" : "t" , "event" : "e" , "payload" : [ 1 ] , "ref" : "2" } ',
      { payloadJson: '[ 1 ]' },
    ],
  ])('reads %s', (_, frame, expected) => {
    expect(readFrame('1.0.0', frame)).toMatchObject({ kind: 'message', topic: 't', ...expected })
  })
})

// supabase-py#1626, supabase-kt#1402, phoenix#6800: pushes without join_ref, which are taken.
test.each<[Ref, Ref, boolean]>([
  ['1', '1', false],
  ['1', '2', true],
  [null, '1', false],
  ['1', null, false],
  // Joined in text by a number, pushed in bytes, which have no numbers.
  ['1', 1, false],
])('a push of %j on a join of %j is stale: %s', (push, join, expected) => {
  expect(isStale(push, join)).toBe(expected)
})

test('a number that goes back is a number', () => {
  expect(messageFrame('2.0.0', { joinRef: 1, ref: 2, topic: 't', event: 'e' }, '{}')).toBe('[1,2,"t","e",{}]')
})

test('numbers of a payload keep their digits', () => {
  const payload =
    '{"id":12345678901234567890,"ratio":1.10,"text":"a \\"}] b","payload":{"payload":[{"n":1e400}]}}'
  const one = `{"payload":0,"event":"e","ref":"1","pay\\u006coad":${payload},"topic":"t"}`
  expect(readFrame('1.0.0', one)).toMatchObject({ payloadJson: payload })
  const two = `[ "1" , null,"t", "e",${payload}, {"later":1}]`
  expect(readFrame('2.0.0', two)).toMatchObject({ payloadJson: payload })
  expect(readFrame('2.0.0', pushBytes(['', '', 't', 'e', ''], 1, payload))).toMatchObject({
    payload: json(payload),
  })
})

test('a byte order mark is a character of a name', () => {
  expect(readFrame('2.0.0', pushBytes(['', '', '\ufefft', '\ufeff', ''], 0))).toMatchObject({
    topic: '\ufefft',
    event: '\ufeff',
  })
})

test('halves of surrogate pairs and NUL are JSON like any other', () => {
  const payload = '{"cut":"\\ud83d","nul":"\\u0000"}'
  expect(readFrame('2.0.0', pushBytes(['', '', 't', 'e', ''], 1, payload))).toMatchObject({
    payload: json(payload),
  })
})

describe('what is no frame', () => {
  const deep = `${'['.repeat(201)}${']'.repeat(201)}`
  const topic = encodeUtf8('t')
  test.each<[string, Vsn, string | Uint8Array, RegExp]>([
    ['text that is no JSON', '2.0.0', '[1,', /not JSON/],
    ['JSON of the other version', '2.0.0', '{"topic":"t","event":"e","payload":{},"ref":"1"}', /is an array/],
    ['JSON of the other version', '1.0.0', '[null,"1","t","e",{}]', /is an object/],
    ['four things', '2.0.0', '[null,"1","t","e"]', /is an array/],
    ['null', '1.0.0', 'null', /is an object/],
    ['no topic', '1.0.0', '{"event":"e","payload":{},"ref":"1"}', /topic/],
    ['an event that is no text', '2.0.0', '[null,"1","t",5,{}]', /event/],
    ['a ref that is an object', '2.0.0', '[null,{},"t","e",{}]', /^ref is text/],
    ['a ref that is too long', '2.0.0', `["${'1'.repeat(256)}","1","t","e",{}]`, /^join_ref is text/],
    ['a ref that is no whole number', '2.0.0', '[null,1e400,"t","e",{}]', /^ref is text/],
    ['a payload that is too deep', '2.0.0', `[null,"1","t","e",${deep}]`, /deeper than 200/],
    ['no bytes', '2.0.0', new Uint8Array(), /first byte/],
    ['another kind', '2.0.0', Uint8Array.of(0, 0, 0, 1, 1, 116, 101), /first byte/],
    ['a header that is cut', '2.0.0', Uint8Array.of(3, 0, 0, 0), /ends before/],
    ['lengths past the end', '2.0.0', pushBytes(['', '', topic, 'e', ''], 0).subarray(0, -1), /ends before/],
    ['a topic that is no UTF-8', '2.0.0', pushBytes(['', '', Uint8Array.of(0xff), 'e', ''], 0), /not UTF-8/],
    [
      'a payload that is no UTF-8',
      '2.0.0',
      pushBytes(['', '', topic, 'e', ''], 1, Uint8Array.of(0xc0)),
      /not UTF-8/,
    ],
    ['a payload that is no JSON', '2.0.0', pushBytes(['', '', topic, 'e', ''], 1, '{]'), /not JSON/],
    ['a payload that is too deep', '2.0.0', pushBytes(['', '', topic, 'e', ''], 1, deep), /deeper than 200/],
    ['metadata that is no object', '2.0.0', pushBytes(['', '', topic, 'e', '[]'], 0), /metadata/],
    ['metadata that is no JSON', '2.0.0', pushBytes(['', '', topic, 'e', '{'], 0), /metadata/],
  ])('is %s (%s)', (_, vsn, frame, why) => {
    const read = () => readFrame(vsn, frame)
    expect(read).toThrow(FrameError)
    expect(read).toThrow(why)
  })

  test('never fails in another way', () => {
    const kind3 = fc.uint8Array({ maxLength: 300 }).map(bytes => Uint8Array.of(3, ...bytes))
    const lengths = fc.tuple(
      fc.uint8Array({ minLength: 6, maxLength: 6, max: 3 }),
      fc.uint8Array({ maxLength: 40 }),
    )
    const small = lengths.map(([head, rest]) => Uint8Array.of(3, ...head, ...rest))
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(fc.jsonValue(), { minLength: 4 }).map(all => JSON.stringify(all)),
    )
    const data = fc.oneof(fc.uint8Array(), kind3, small, text)
    fc.assert(
      fc.property(fc.constantFrom<Vsn>('1.0.0', '2.0.0'), data, (vsn, frame) => {
        try {
          expect(['message', 'broadcast']).toContain(readFrame(vsn, frame).kind)
        } catch (error) {
          if (!(error instanceof FrameError)) throw error
        }
      }),
      { numRuns: 3_000 },
    )
  })
})
