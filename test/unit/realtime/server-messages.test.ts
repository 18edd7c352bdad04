// The server's frames, letter by letter where clients look at the letters.

import { describe, expect, test } from 'vitest'
import * as say from '../../../src/features/realtime/wire/server-messages.ts'

const TO = { joinRef: '1', ref: '2', topic: 'realtime:a:b', event: 'phx_join' }
const CHANNEL = { joinRef: '1', topic: 'realtime:a:b' }

describe('version 2.0.0', () => {
  test.each([
    [
      'a heartbeat',
      say.okReply('2.0.0', { joinRef: null, ref: '9', topic: 'phoenix', event: 'heartbeat' }),
      [null, '9', 'phoenix', 'phx_reply', { status: 'ok', response: {} }],
    ],
    [
      'a refusal',
      say.errorReply('2.0.0', TO, 'Code: "why"'),
      ['1', '2', 'realtime:a:b', 'phx_reply', { status: 'error', response: { reason: 'Code: "why"' } }],
    ],
    [
      'a join without changes',
      say.joinReply('2.0.0', TO, []),
      ['1', '2', 'realtime:a:b', 'phx_reply', { status: 'ok', response: { postgres_changes: [] } }],
    ],
    ['an end', say.closeMessage('2.0.0', CHANNEL), ['1', '1', 'realtime:a:b', 'phx_close', {}]],
    ['a failure', say.failMessage('2.0.0', CHANNEL), ['1', '1', 'realtime:a:b', 'phx_error', {}]],
    [
      'news',
      say.systemMessage('2.0.0', CHANNEL, say.REPLICATION_READY),
      [
        '1',
        null,
        'realtime:a:b',
        'system',
        { extension: 'system', status: 'ok', message: 'Replication connection established', channel: 'a:b' },
      ],
    ],
    [
      'a state',
      say.presenceStateMessage('2.0.0', CHANNEL, '{}'),
      ['1', null, 'realtime:a:b', 'presence_state', {}],
    ],
    [
      'a diff, the same for all',
      say.presenceDiffMessage('2.0.0', 'realtime:t', '{"joins":{},"leaves":{}}'),
      [null, null, 'realtime:t', 'presence_diff', { joins: {}, leaves: {} }],
    ],
  ])('%s', (_, frame, expected) => {
    expect(JSON.parse(frame)).toEqual(expected)
  })
})

test('changes come back in their order, with a number and as they were sent', () => {
  const sent = { event: 'insert', schema: 'public', table: 'todos', filter: ' id=eq.1' }
  const frame = say.joinReply('1.0.0', { ...TO, ref: 2 }, [
    { id: 7, sent },
    { id: 3, sent: { schema: 'app' } },
  ])
  expect(JSON.parse(frame)).toEqual({
    topic: 'realtime:a:b',
    event: 'phx_reply',
    payload: {
      status: 'ok',
      response: {
        postgres_changes: [
          { id: 7, ...sent },
          { id: 3, schema: 'app' },
        ],
      },
    },
    ref: 2,
  })
})

// Clients of 1.0.0 get no join_ref: by the ref they know which join has ended.
test('an end says to version 1.0.0 which join it ends', () => {
  expect(JSON.parse(say.closeMessage('1.0.0', CHANNEL))).toMatchObject({ event: 'phx_close', ref: '1' })
})
