// WebhookFanout inside workerd: dead letters with bodies in pieces, whatever becomes of Postgres' answers meanwhile. An
// answer may be lost although the statement was carried out.

import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { FanoutEvent } from '../../src/features/webhooks/delivery/fanout-contract.ts'
import { eventually } from './eventually.ts'
import {
  chunkOf,
  countOf,
  makeWebhook,
  pieceOf,
  platform,
  readDeadLetters,
  setActive,
  type TestWebhook,
  useMovedClock,
  useReceiver,
} from './webhook-support.ts'

const DAY_MS = 24 * 3_600_000
/** Longer than the pause after Postgres has not taken reports. */
const REPORT_PAUSE_MS = 11_000
const EVER = new Date(0).toISOString()
const receiver = useReceiver()
const pass = useMovedClock()

/** What a body is cut into: into more than one that comes back. */
function piecesOf(key: string): string[] {
  return [
    `{"event":"UPDATE","schema":"public","table":"nowhere","row":{"key":"${key}","x":"`,
    ...['é', 'b', 'c', 'd', 'e'].map(letter => letter.repeat(150_000)),
    '"},"old_row":null,"timestamp":"2026-01-01T00:00:00.000Z"}',
  ]
}

/** A paused webhook whose events have waited for too long; their bodies. */
async function makeExpired(
  keys: string[],
): Promise<TestWebhook & { bodies: string[]; events: FanoutEvent[] }> {
  const webhook = await makeWebhook(receiver.url, { active: false })
  const [bodies, events]: [string[], FanoutEvent[]] = [[], []]
  for (const key of keys) {
    const pieces = piecesOf(key)
    const bytes = pieces.reduce((sum, piece) => sum + new TextEncoder().encode(piece).length, 0)
    const [event = expect.fail()] = chunkOf([key], { payload: null, bytes })
    for (const [number, text] of pieces.entries()) {
      await webhook.fanout.storePiece(1, pieceOf(event, number, text))
    }
    await webhook.fanout.store({ version: 1, events: [event] })
    bodies.push(pieces.join(''))
    events.push(event)
  }
  pass(7.1 * DAY_MS)
  return { ...webhook, bodies, events }
}

async function storedBodies({ row }: TestWebhook): Promise<string[]> {
  const rows = await platform.query<{ payload: string }>(
    'select payload from quoin.dead_letters where webhook_id = $1::uuid order by length(event_id), event_id',
    [row.id],
  )
  return rows.map(({ payload }) => payload)
}

/** For a letter in seven pieces: itself, each piece, and what makes a body of them. */
const WRITES = 9
const isWrite = (query: string) => /insert into quoin\.dead_letter|set payload/.test(query)

/**
 * Loses the answers to the writes of dead letters with these numbers (0: the first); answers how many there have
 * been.
 */
function loseAnswers(...lost: number[]): () => number {
  let count = 0
  receiver.whileAnswering = query => {
    if (isWrite(query) && lost.includes(count++)) throw new TypeError('the answer is lost')
  }
  return () => count
}

describe('a dead letter', () => {
  // Of four bytes a character it would not fit into a row of SQLite, and of one it does.
  it.each([250_000, 250_001, 262_144, 262_145])('of %s characters is sent again as it was', async length => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const [event = expect.fail()] = chunkOf(['a'])
    const payload =
      event.payload?.replace('"a"', `"${'x'.repeat(length - event.bytes + 1)}"`) ?? expect.fail()
    expect(payload).toHaveLength(length)
    await platform.query(
      `insert into quoin.dead_letters (webhook_id, event_id, reason, payload)
        values ($1::uuid, '810000001.0', 'attempts_exhausted', $2) returning id`,
      [row.id, payload],
    )
    expect(await fanout.replayFailed(EVER)).toBe(1)
    await eventually(() => expect(receiver.calls).toHaveLength(1))
    expect(receiver.calls[0]?.body === payload).toBe(true)
  })

  it('that was taken back keeps its body when a message brings a piece of it once more', async () => {
    const webhook = await makeExpired(['first'])
    await eventually(async () => {
      await runDurableObjectAlarm(webhook.fanout)
      expect(await storedBodies(webhook)).toEqual(webhook.bodies)
    })
    expect(await webhook.fanout.replayFailed(EVER)).toBe(1)
    const [event = expect.fail()] = webhook.events
    await webhook.fanout.storePiece(1, pieceOf(event, 0, 'another cut'))
    await setActive(webhook, true)
    await eventually(() => expect(receiver.calls.map(({ body }) => body)).toEqual(webhook.bodies))
  })
})

describe('a dead letter in pieces', () => {
  it('keeps its body, as do those before it, whichever answer is lost', { timeout: 60_000 }, async () => {
    for (let lost = 0; lost < 2 * WRITES; lost++) {
      const webhook = await makeExpired(['first', 'second'])
      const writes = loseAnswers(lost)
      await eventually(async () => {
        await runDurableObjectAlarm(webhook.fanout)
        pass(REPORT_PAUSE_MS)
        expect(await countOf(webhook.fanout, 'reports')).toBe(0)
      })
      expect(writes()).toBeGreaterThan(lost)
      expect(await storedBodies(webhook), `answer ${lost}`).toEqual(webhook.bodies)
      expect(await countOf(webhook.fanout, 'pieces')).toBe(0)
    }
  })

  it('is sent again as it was, whichever answer is lost, and the next when it is asked for', {
    timeout: 60_000,
  }, async () => {
    for (let lost = 0; lost < WRITES; lost++) {
      const webhook = await makeExpired(['first'])
      const writes = loseAnswers(lost, lost + 1)
      await eventually(async () => {
        await runDurableObjectAlarm(webhook.fanout)
        expect(writes()).toBeGreaterThan(lost)
      })
      // The second is lost while they are asked for: they may be in Postgres by now or not, and are written again
      // after it.
      const first = await webhook.fanout.replayFailed(EVER)
      expect(writes()).toBeGreaterThan(lost + 1)
      pass(REPORT_PAUSE_MS)
      await runDurableObjectAlarm(webhook.fanout)
      expect(await countOf(webhook.fanout, 'reports')).toBe(0)
      expect(first + (await webhook.fanout.replayFailed(EVER))).toBe(1)
      receiver.calls.length = 0
      await setActive(webhook, true)
      await eventually(async () => {
        expect(await readDeadLetters(webhook.row.id)).toMatchObject([{ resolved_at: expect.any(String) }])
      })
      const bodies = receiver.calls.map(({ body }) => body)
      expect(bodies, `answers ${lost} and ${lost + 1}`).toEqual(webhook.bodies)
      expect(await countOf(webhook.fanout, 'pieces')).toBe(0)
    }
  })

  it('is counted and sent again by who asks before it is written', async () => {
    const webhook = await makeExpired(['first'])
    const writes = loseAnswers(2)
    await eventually(async () => {
      await runDurableObjectAlarm(webhook.fanout)
      expect(writes()).toBe(3)
    })
    expect(await webhook.fanout.replayFailed(EVER)).toBe(1)
    await setActive(webhook, true)
    await eventually(() => expect(receiver.calls.map(({ body }) => body)).toEqual(webhook.bodies))
  })
})
