// POST /api/webhooks/:id/replay-failed: what has failed since a time and was not delivered is tried now, not at its
// next attempt.

import { afterAll, expect, it } from 'vitest'
import { startReceiver } from '../../support/receiver.ts'
import { asOwner } from '../data-api/caller.ts'
import { logOf, makeTable, makeWebhook, tidyUp, webhooks, webhookWhen } from './caller.ts'

afterAll(tidyUp)

it('sends at once what waits for its next attempt, and nothing that failed before the time', async () => {
  let isUp = false
  // Without the replay the next attempt came in an hour.
  await using receiver = await startReceiver((_, answer) => {
    answer.writeHead(isUp ? 200 : 503, { 'retry-after': '3600' }).end()
  })
  const table = await makeTable()
  const id = await makeWebhook({ table_name: table, url: receiver.url })
  const replaySince = (time: number) =>
    webhooks('POST', `/${id}/replay-failed`, { since: new Date(time).toISOString() })
  const since = Date.now()
  await asOwner(`insert into ${table} values (1, 'one')`)
  await webhookWhen(id, 'it has failed', webhook => webhook['fail_count'] === 1)
  await asOwner(`update ${table} set note = 'two'`)
  isUp = true
  expect(await replaySince(Date.now() + 60_000)).toMatchObject({ status: 202, json: { queued: 0 } })
  expect(receiver.received).toHaveLength(1)
  expect(await replaySince(since)).toMatchObject({ status: 202, json: { queued: 1 } })
  await receiver.waitFor(({ body }) => body.includes('"UPDATE"'))
  expect(receiver.received.map(({ body }) => JSON.parse(body).event)).toEqual(['INSERT', 'INSERT', 'UPDATE'])
  expect((await logOf(id, 3)).map(entry => entry['status_code'])).toEqual([200, 200, 503])
})
