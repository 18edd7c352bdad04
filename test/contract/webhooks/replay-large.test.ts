// What a person is told whose delivery cannot be sent again by itself because of its size, and that it is true.

import { afterAll, expect, it } from 'vitest'
import { connectOwner } from '../../support/postgres.ts'
import { startReceiver } from '../../support/receiver.ts'
import { tidyUp, webhooks } from './caller.ts'
import { makeChain } from './chain.ts'

afterAll(tidyUp)

const AT = '2026-01-02T03:04:05.678Z'
const payloadOf = (text: string) =>
  `{"event":"INSERT","schema":"public","table":"t","row":{"text":"${text}"},` +
  '"old_row":null,"timestamp":"2026-01-01T00:00:00.000Z"}'

async function bury(id: string, eventId: string, payload: string | null, createdAt = AT): Promise<string> {
  await using owner = await connectOwner()
  const { rows } = await owner.query(
    `insert into quoin.dead_letters (webhook_id, event_id, reason, payload, created_at)
      values ($1, $2, 'attempts_exhausted', $3, $4) returning id`,
    [id, eventId, payload, createdAt],
  )
  return String(rows[0].id)
}

it('names the replay that sends a dead letter of more than 1 MiB, and that one sends it', async () => {
  await using receiver = await startReceiver()
  const { id } = await makeChain(receiver)
  const payload = payloadOf('ü'.repeat(700_000))
  const letter = await bury(id, '700000101.0', payload)
  await bury(id, '700000102.0', payloadOf('older'), '2026-01-02T03:04:05.677Z')

  const refused = await webhooks('POST', `/${id}/dead-letters/${letter}/replay`)
  expect([refused.status, refused.json['code']]).toEqual([409, 'replay_too_large'])
  const hint = String(refused.json['hint'])
  const [, path = '', body = ''] = /POST \/api\/webhooks(\/\S+) with (\{.*?\})/.exec(hint) ?? []
  expect(JSON.parse(body)).toEqual({ since: AT })
  expect(receiver.received).toEqual([])

  expect(await webhooks('POST', path, JSON.parse(body))).toMatchObject({ status: 202, json: { queued: 1 } })
  const { headers, body: sent } = await receiver.waitFor(() => true)
  expect(sent).toBe(payload)
  expect(headers['x-quoin-replay-of']).toBe(letter)
})

it('says of a log entry without its body how much the log keeps', async () => {
  await using receiver = await startReceiver()
  const { id } = await makeChain(receiver)
  await using owner = await connectOwner()
  const { rows } = await owner.query(
    `insert into quoin.webhook_deliveries (webhook_id, webhook_message_id, event_type, payload, latency_ms)
      values ($1, 'msg', 'INSERT', '', 1) returning id`,
    [id],
  )
  expect(await webhooks('POST', `/${id}/replay/${rows[0].id}`)).toMatchObject({
    status: 409,
    json: { code: 'payload_not_kept', hint: expect.stringContaining('1 MiB') },
  })
  expect(receiver.received).toEqual([])
})

it('says of a dead letter without a body that there is none', async () => {
  await using receiver = await startReceiver()
  const { id } = await makeChain(receiver)
  const letter = await bury(id, '700000103.0', null)
  const { status, json } = await webhooks('POST', `/${id}/dead-letters/${letter}/replay`)
  expect([status, json['code']]).toEqual([409, 'payload_not_kept'])
  expect(JSON.stringify(json)).not.toContain('too large')
})
