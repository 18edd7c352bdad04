// What joins ask for. Beside what the clients of today send, payloads that public reports show.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JoinRequest, readJoin } from '../../../src/features/realtime/wire/join-request.ts'
import { MessageError } from '../../../src/features/realtime/wire/message-error.ts'

const join = (payload: unknown, topic = 'realtime:room') => readJoin(topic, payload)
const config = (given: unknown) => join({ config: given })
const changes = (...given: unknown[]) => config({ postgres_changes: given }).postgres_changes

const NOTHING: JoinRequest = {
  channel: 'room',
  broadcast: { ack: false, self: false, replicationReady: false },
  presence: { key: null, enabled: false },
  postgres_changes: [],
  isPrivate: false,
}

function reason(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof MessageError) return error.message
    throw error
  }
  throw new Error('was not refused')
}

test('what realtime-js asks for is read', () => {
  const wanted = { event: 'INSERT', schema: 'public', table: 'todos', filter: 'id=eq.1' }
  const asked = join({
    config: {
      broadcast: {
        ack: true,
        self: true,
        replay: { since: 1_700_000_000_000, limit: 5 },
        replication_ready: true,
      },
      presence: { key: 'ada', enabled: true },
      postgres_changes: [{ ...wanted, select: ['id', 'title'], after: 7 }],
      private: true,
    },
    access_token: 'a.b.c',
  })
  expect(asked).toEqual({
    channel: 'room',
    broadcast: {
      ack: true,
      self: true,
      replicationReady: true,
      replay: { since: 1_700_000_000_000, limit: 5 },
    },
    presence: { key: 'ada', enabled: true },
    postgres_changes: [{ ...wanted, select: ['id', 'title'], after: 7, sent: wanted }],
    isPrivate: true,
    accessToken: 'a.b.c',
  })
})

describe('is read with its defaults', () => {
  test.each<[string, unknown]>([
    ['an empty payload, as of old Python clients', {}],
    ['no config', { config: null, access_token: null, user_token: null }],
    ['an empty config', { config: {} }],
    [
      'parts that are null',
      { config: { broadcast: null, presence: null, postgres_changes: null, private: null } },
    ],
    ['parts that are false (supabase/realtime#1439)', { config: { broadcast: false, presence: false } }],
    ['changes of nothing (supabase/realtime#1567)', { config: { postgres_changes: [null] } }],
    [
      'flags and a key that are null',
      { config: { broadcast: { ack: null, self: null }, presence: { key: null, enabled: null } } },
    ],
    ['an empty key', { config: { presence: { key: '', enabled: false } } }],
    ['fields that nobody knows', { version: 1, config: { broadcast: { hops: 2 }, region: 'eu' } }],
  ])('%s', (_, payload) => {
    expect(join(payload)).toEqual(NOTHING)
  })
})

test('who names a key and says nothing of enabled wants presence, as clients before 2.54 mean it', () => {
  expect(join({ config: { presence: { key: '' } } })).toMatchObject({
    presence: { key: null, enabled: true },
  })
})

test.each([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
])('a flag may be the word %s', (word, expected) => {
  const read = config({ private: word, broadcast: { ack: word, self: word }, presence: { enabled: word } })
  expect([read.isPrivate, read.broadcast.ack, read.broadcast.self, read.presence.enabled]).toEqual(
    Array.from({ length: 4 }, () => expected),
  )
})

test('a presence key may be a number', () => {
  expect(config({ presence: { key: 123 } }).presence.key).toBe('123')
})

describe('tokens', () => {
  test.each<[string, object, string | undefined]>([
    ['the old name', { user_token: 'old' }, 'old'],
    ['both names', { access_token: 'new', user_token: 'old' }, 'old'],
    ['no text, which is no key either', { access_token: '' }, ''],
    ['a key of Supabase', { access_token: 'sb_publishable_x', user_token: 'old' }, undefined],
    ['a key of ours, as supabase-js sends without a session', { access_token: 'svc_pk_x' }, undefined],
    ['a secret key of ours under the old name', { user_token: 'svc_sk_x' }, undefined],
  ])('%s', (_, payload, expected) => {
    expect(join(payload).accessToken).toBe(expected)
  })
})

describe('changes', () => {
  test('of a schema are those of all its tables, of a table those in public', () => {
    expect(changes({ event: '*', schema: 'app' }, { table: 'todos' })).toEqual([
      { event: '*', schema: 'app', table: '*', sent: { event: '*', schema: 'app' } },
      { event: '*', schema: 'public', table: 'todos', sent: { table: 'todos' } },
    ])
  })

  test('are sent back as they were written, whatever they mean', () => {
    const sent = { event: 'insert', schema: 'public', table: 'todos', filter: ' ' }
    expect(changes({ ...sent, select: [] })).toEqual([
      { event: 'INSERT', schema: 'public', table: 'todos', sent },
    ])
  })

  test('have no filter where it is null (supabase-js#1917)', () => {
    expect(
      changes({ event: '*', schema: 'public', table: 'todos', filter: null, select: null, after: null }),
    ).toEqual([
      {
        event: '*',
        schema: 'public',
        table: 'todos',
        sent: { event: '*', schema: 'public', table: 'todos' },
      },
    ])
  })

  test.each([
    [0, 0],
    ['12', 12],
  ])('after %j are those behind it', (after, expected) => {
    expect(changes({ schema: 'public', table: 'todos', after })).toMatchObject([{ after: expected }])
  })

  test('come a hundred at most', () => {
    const many = Array.from({ length: 101 }, () => ({ schema: 'public', table: 't' }))
    expect(changes(...many.slice(1))).toHaveLength(100)
    expect(reason(() => changes(...many))).toMatch(
      /^InvalidJoinPayload: config\.postgres_changes: more than 100/,
    )
  })
})

describe('is refused, saying where and why', () => {
  const one = (given: object) => ({ config: { postgres_changes: [given] } })
  test.each<[string, unknown, string]>([
    ['no object', 'hello', 'InvalidJoinPayload: payload: expected an object'],
    ['config as a list', { config: ['test'] }, 'InvalidJoinPayload: config: expected an object'],
    [
      'broadcast as text',
      { config: { broadcast: 'x' } },
      'InvalidJoinPayload: config.broadcast: expected an object',
    ],
    [
      'a word that is no flag',
      { config: { broadcast: { ack: 'yes' } } },
      'InvalidJoinPayload: config.broadcast.ack: expected true or false',
    ],
    [
      'privacy that is no flag',
      { config: { private: 'yes' } },
      'InvalidJoinPayload: config.private: expected true or false',
    ],
    [
      'a number as a flag',
      { config: { private: 1 } },
      'InvalidJoinPayload: config.private: expected true or false',
    ],
    [
      'a key that is no text',
      { config: { presence: { key: {} } } },
      'InvalidJoinPayload: config.presence.key: expected text',
    ],
    [
      'a key that is long',
      { config: { presence: { key: 'k'.repeat(256) } } },
      'InvalidJoinPayload: config.presence.key: ',
    ],
    [
      'changes that are no list',
      { config: { postgres_changes: {} } },
      'InvalidJoinPayload: config.postgres_changes: expected a list',
    ],
    [
      'a change that is no object',
      { config: { postgres_changes: ['*'] } },
      'InvalidJoinPayload: config.postgres_changes.0: expected an object',
    ],
    [
      'a filter that is long',
      one({ table: 't', filter: 'x'.repeat(8_193) }),
      'InvalidJoinPayload: config.postgres_changes.0.filter: longer than',
    ],
    [
      'a place below 0',
      one({ table: 't', after: -1 }),
      'InvalidJoinPayload: config.postgres_changes.0.after: expected a number of the log',
    ],
    [
      'a place between numbers',
      one({ table: 't', after: 1.5 }),
      'InvalidJoinPayload: config.postgres_changes.0.after: ',
    ],
    [
      'a place in words',
      one({ table: 't', after: '1e3' }),
      'InvalidJoinPayload: config.postgres_changes.0.after: ',
    ],
    [
      'neither schema nor table',
      one({ event: '*' }),
      'RealtimeDisabledForConfiguration: config.postgres_changes.0: No subscription params',
    ],
    [
      'an event that is none',
      one({ table: 't', event: 'TRUNCATE' }),
      'RealtimeDisabledForConfiguration: config.postgres_changes.0: event is',
    ],
    [
      'a filter of all tables',
      one({ schema: 'public', filter: 'id=eq.1' }),
      'RealtimeDisabledForConfiguration: config.postgres_changes.0: A filter',
    ],
    [
      'columns of all tables',
      one({ schema: '*', table: 't', select: ['id'] }),
      'RealtimeDisabledForConfiguration: config.postgres_changes.0: Column selection',
    ],
    [
      'columns as text',
      one({ table: 't', select: 'id' }),
      'InvalidJoinPayload: config.postgres_changes.0.select: expected a list',
    ],
    ['a token that is no text', { access_token: true }, 'InvalidJoinPayload: access_token: expected text'],
    ['a token that is long', { access_token: 'x'.repeat(16_385) }, 'MalformedJWT: '],
    [
      'replay on a public channel',
      { config: { broadcast: { replay: { since: 0 } } } },
      'UnableToReplayMessages: Replay is not allowed',
    ],
    [
      'replay that is no object',
      { config: { broadcast: { replay: 123 } } },
      'InvalidJoinPayload: config.broadcast.replay: expected an object',
    ],
    [
      'replay without a beginning',
      { config: { private: true, broadcast: { replay: { limit: 1 } } } },
      'UnableToReplayMessages: Replay params',
    ],
  ])('%s', (_, payload, expected) => {
    expect(reason(() => join(payload)).startsWith(expected)).toBe(true)
  })

  test.each([
    ['realtime:', 'TopicNameRequired: You must provide a topic name'],
    ['room', 'UnmatchedTopic: unmatched topic'],
    [`realtime:${'ä'.repeat(124)}`, 'InvalidTopicName: '],
    ['realtime:\ud83d', 'InvalidTopicName: '],
  ])('the topic %j', (topic, expected) => {
    expect(reason(() => join({}, topic)).startsWith(expected)).toBe(true)
  })
})

test.each([
  [undefined, 25],
  [100, 25],
  [0, 1],
])('replay of %s messages is one of %d', (limit, expected) => {
  const asked = config({ private: true, broadcast: { replay: { since: 1, limit } } })
  expect(asked.broadcast.replay).toEqual({ since: 1, limit: expected })
})

test('any payload at all is read or refused', () => {
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, true, 'true', 0, '', [], {}))
  const change = fc.record(
    { event: odd, schema: odd, table: odd, filter: odd, select: odd, after: odd },
    { requiredKeys: [] },
  )
  const part = fc.record(
    {
      broadcast: odd,
      presence: odd,
      postgres_changes: fc.oneof(odd, fc.array(fc.oneof(odd, change))),
      private: odd,
    },
    { requiredKeys: [] },
  )
  const payload = fc.oneof(
    odd,
    fc.record({ config: fc.oneof(odd, part), access_token: odd, user_token: odd }, { requiredKeys: [] }),
  )
  fc.assert(
    fc.property(payload, given => {
      try {
        join(given)
      } catch (error) {
        if (!(error instanceof MessageError)) throw error
      }
    }),
    { numRuns: 2_000 },
  )
})
