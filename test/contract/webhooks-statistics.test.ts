// The figures of a webhook: what became of its events lately, and what waits now.

import { afterAll, describe, expect, it } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { asOwner } from './db-caller.ts'
import { logOf, tidyUp, webhooks, webhookViews } from './webhooks-caller.ts'
import { makeChain } from './webhooks-chain.ts'

afterAll(tidyUp)

const statisticsOf = async (id: string) => (await webhookViews(`/${id}`)).json.statistics

describe('the figures of attempts', () => {
  // Whoever tries out a receiver must not read of it as of failed deliveries.
  it('are those of events, replays included, and of no test', async () => {
    let status = 500
    await using receiver = await startReceiver((_, answer) => {
      answer.writeHead(status).end()
    })
    const { table, id } = await makeChain(receiver)
    await webhooks('POST', `/${id}/test`)
    expect(await statisticsOf(id)).toMatchObject({
      attempts: 0,
      failed: 0,
      last_attempt_at: null,
      last_status_code: null,
    })
    status = 200
    await asOwner(`insert into ${table} values (1, 'one')`)
    const [delivered, tested] = await logOf(id, 2)
    expect(await statisticsOf(id)).toMatchObject({ attempts: 1, succeeded: 1, last_status_code: 200 })
    status = 503
    await webhooks('POST', `/${id}/replay/${tested?.['id']}`)
    await webhooks('POST', `/${id}/replay/${delivered?.['id']}`)
    expect(await statisticsOf(id)).toMatchObject({
      attempts: 2,
      succeeded: 1,
      failed: 1,
      last_status_code: 503,
    })
  })
})
