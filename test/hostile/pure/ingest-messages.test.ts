// Somebody who can sign ingest requests, or a fault of the listener: a message that fails for its own content fails
// each time. It must be refused at the door, since whatever the queue has is tried again and again.

import { expect, it } from 'vitest'
import {
  type ConsumeDeps,
  consumeRowChanges,
} from '../../../src/features/row-changes/consume/consume-row-changes.ts'
import { keepDeadMessages } from '../../../src/features/row-changes/consume/dead-messages.ts'
import { type Chunk, RowChangesIn } from '../../../src/features/row-changes/ingest/messages.ts'
import { eventIdOf } from '../../../src/features/webhooks/delivery/event-identity.ts'
import { bodyThroughRoute } from '../../support/route-body.ts'
import { CHANGE, CHUNK, subscribedWebhook } from '../../support/row-changes.ts'

const changes = (count: number) => Array.from({ length: count }, () => CHANGE)

/** Of each field the last values that can be handled, and those that cannot. */
const VALUES: { [Field in keyof Chunk]?: readonly [good: unknown[], bad: unknown[]] } = {
  id: [
    ['1', '9007199254740993', '9223372036854775807'],
    ['', '0', '-1', '1.5', '1e3', '0x1', ' 1', '01', '9223372036854775808', '9999999999999999999'],
  ],
  table_id: [
    [1, 4_294_967_295],
    [0, -1, 1.5, 4_294_967_296, 9_007_199_254_740_991, '1', null],
  ],
  table_schema: [
    ['public', '', 'ü'.repeat(1_000)],
    ['a\u0000', 'a\ud800'],
  ],
  table_name: [['A "b"'], ['a\u0000', 1]],
  event: [
    ['INSERT', 'DELETE', 'TRUNCATE'],
    ['MERGE', 'insert', ''],
  ],
  occurred_at: [
    ['2026-01-01T00:00:00.123456+00:00', '2024-02-29T23:59:59Z', '9999-12-31T23:59:59.999Z'],
    ['', 'never', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '+275760-09-14T00:00:00Z', 'infinity'],
  ],
  request_id: [
    [null, 'r'],
    ['r\u0000', 1],
  ],
  change_count: [
    [1, 1_024],
    [0, -1, 0.5, 1_025, 2_147_483_648, 9_007_199_254_740_991],
  ],
  changes: [
    [null, [], changes(1_024)],
    [
      changes(1_025),
      ...['key', 'old_key', 'row', 'old_row', 'error'].map(field => [{ ...CHANGE, [field]: 'a\u0000' }]),
    ],
  ],
}

/** What the route makes of a body with the chunk. */
const atTheDoor = (chunk: unknown) => bodyThroughRoute(RowChangesIn, bodyOf(chunk))

/** The field, a short text of its value, and the chunk. */
function chunksWith(which: 0 | 1): [string, string, unknown][] {
  return Object.entries(VALUES).flatMap(([field, values]) =>
    values[which].map((value): [string, string, unknown] => [
      field,
      JSON.stringify(value).slice(0, 60),
      { ...CHUNK, [field]: value },
    ]),
  )
}

const bodyOf = (chunk: unknown, registry_version: unknown = 1) => ({
  registry_version,
  messages: [{ chunks: [chunk] }],
})

/** Postgres, the objects and their SQLite, as far as they refuse what they are given. */
async function consume(bodies: readonly unknown[], registryVersion = 1) {
  const acknowledged: unknown[] = []
  const toBigint = (text: string) => expect(BigInt(text)).toBe(BigInt.asIntN(64, BigInt(text)))
  const deps = {
    platform: {
      query: async (_: string, [ids = '']: string[]) => {
        for (const id of ids.split(',')) toBigint(id)
        return []
      },
      texts: async (_: string, [ids = '']: string[]) => {
        for (const id of ids.replace(/[{}]/g, '').split(',')) toBigint(id)
        return []
      },
    },
    rowChangeSubscribers: [
      subscribedWebhook(async ({ events }) => {
        for (const { position, occurred_at_ms } of events) {
          const [chunk] = eventIdOf(position).split('.')
          expect(JSON.stringify(bodies)).toContain(`"id":"${chunk}"`)
          expect(occurred_at_ms).toSatisfy(Number.isFinite)
        }
      }, registryVersion),
    ],
  } as Partial<Record<keyof ConsumeDeps, unknown>> as ConsumeDeps
  const messages = bodies.map(body => ({
    body: JSON.stringify(body),
    attempts: 1,
    ack: () => void acknowledged.push(body),
    retry: () => undefined,
  }))
  await consumeRowChanges(deps, messages)
  const handled = [...acknowledged]
  await keepDeadMessages(deps, messages)
  return { handled, buried: acknowledged.slice(handled.length) }
}

it.each(chunksWith(1))(
  'a chunk that could never be handled is refused at the door: %s %s',
  async (_field, _value, chunk) => {
    await expect(atTheDoor(chunk)).rejects.toThrow(/^body(?:\.messages\.0\.chunks\.0|: holds )/)
  },
)

it.each(chunksWith(0))(
  'what passes the door is handled, and could be buried: %s %s',
  async (_field, _value, chunk) => {
    const { registry_version, messages } = await atTheDoor(chunk)
    const bodies = messages.map(({ chunks }) => ({ registry_version, chunks }))
    expect(await consume(bodies)).toEqual({ handled: bodies, buried: bodies })
  },
)

// A version that no registry has had: the messages beside it in the batch are not its hostages.
it('a message from the future of the registry waits alone', async () => {
  const [now, future] = [1, Number.MAX_SAFE_INTEGER].map(registry_version => ({
    registry_version,
    chunks: [CHUNK],
  }))
  expect((await consume([now, future, now])).handled).toEqual([now, now])
})
