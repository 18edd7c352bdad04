// Receivers over TLS, as the runtime itself judges their certificates: what is not trusted gets no event, and gets it
// as soon as it is.

import { afterAll, describe, expect, it } from 'vitest'
import { type Certificate, startSecureReceiver } from '../../support/receiver.ts'
import { asOwner } from '../data-api/caller.ts'
import { logOf, makeTable, makeWebhook, tidyUp, webhooks, webhookWhen } from './caller.ts'

afterAll(tidyUp)

async function watchedBy(url: string) {
  const table = await makeTable()
  const id = await makeWebhook({ table_name: table, url: `${url}/hook` })
  return { id, write: () => asOwner(`insert into ${table} values (1, 'one')`) }
}

// The retry comes five seconds later: the three wait for theirs together.
describe.concurrent('a receiver', () => {
  it('with a certificate of a trusted authority gets its events', async () => {
    await using receiver = await startSecureReceiver('valid')
    const { id, write } = await watchedBy(receiver.url)
    expect((await webhooks('POST', `/${id}/test`)).json).toMatchObject({ ok: true, status_code: 200 })
    await write()
    await receiver.waitFor(({ body }) => body.includes('"note":"one"'))
  })

  // Whoever sits between Quoin and the receiver has only such certificates to show: no byte may reach him.
  it.each<Certificate>(['self-signed', 'expired', 'other-host'])(
    'whose certificate is bad (%s) gets nothing, is told so by a test, and the event once it has mended it',
    async certificate => {
      await using receiver = await startSecureReceiver(certificate)
      const { id, write } = await watchedBy(receiver.url)
      const failure = { status_code: null, response_body: null, error: 'connection_failed' }
      const test = await webhooks('POST', `/${id}/test`)
      expect([test.status, test.json]).toMatchObject([200, { ok: false, ...failure }])
      await write()
      await webhookWhen(id, 'fail_count rises', webhook => Number(webhook['fail_count']) >= 1)
      // Its retry comes five seconds later, and may be there by now.
      const log = await logOf(id, 2)
      expect(log.slice(-2)).toMatchObject([
        { event_type: 'INSERT', attempt: 1 },
        { event_type: 'TEST', id: test.json['log_id'] },
      ])
      expect(log).toMatchObject(log.map(() => failure))
      expect(receiver.received).toEqual([])
      receiver.show('valid')
      // By its second attempt after 5 s; by its third after 30 more, where that was too early to see the new
      // certificate.
      await webhookWhen(id, 'fail_count is 0 again', webhook => webhook['fail_count'] === 0)
      await receiver.waitFor(({ body }) => body.includes('"note":"one"'))
      const [arrived] = await logOf(id, 3)
      expect(arrived).toMatchObject({ event_type: 'INSERT', status_code: 200, error: null })
      expect(Number(arrived?.['attempt'])).toBeGreaterThan(1)
    },
  )
})
