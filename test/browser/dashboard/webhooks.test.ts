// Webhooks: created with a secret that is shown once, tested, seen to deliver a row change, replayed, paused, changed
// and deleted.

import { createHmac, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { asOwner } from '../../contract/data-api/caller.ts'
import { atTheEnd, makeTable, makeWebhook, tidyUp, webhooks } from '../../contract/webhooks/caller.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { visit } from './visitor.ts'

afterAll(tidyUp)

const HTML = '<img src=x onerror="document.title = 1"><b>bold</b>'

const isChange = ({ headers }: Received) => headers['x-quoin-test'] === undefined

it('creates a webhook, tests it, shows a delivery as text and sends it again', async () => {
  let status = 500
  await using receiver = await startReceiver((_, answer: ServerResponse) => {
    answer.writeHead(status, { 'content-type': 'text/html' }).end(HTML)
  })
  const table = await makeTable()
  const name = `browser ${randomUUID()}`
  await using seat = await visit('/webhooks')
  const { page } = seat

  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByLabel('Table').fill(`${table}_gone`)
  // A mistake is said at its field, before and after it is sent, and what was typed stays.
  await form.getByLabel('URL', { exact: true }).fill('ftp://example.com')
  await form.getByLabel('URL', { exact: true }).blur()
  await form.getByText('It must begin with https:// or http://').waitFor()
  await form.getByLabel('URL', { exact: true }).fill(`${receiver.url}/hook`)
  await form.getByRole('button', { name: 'Add header' }).click()
  await form.getByLabel('Name of header 1').fill('X-Api-Key')
  await form.getByLabel('Value of header 1').fill('of this receiver')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await form.getByText(`${table}_gone`).waitFor()
  await form.getByLabel('Table').fill(table)
  await page.getByRole('option', { name: table }).click()
  await form.getByRole('button', { name: 'Create webhook' }).click()

  const secret = (await page.getByRole('button', { name: /^Copy Signing secret/ }).textContent()) ?? ''
  expect(secret).toMatch(/^whsec_/)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('heading', { name }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  expect(`${page.url()} ${await page.content()}`).not.toContain(secret)

  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('The receiver answered 500').waitFor()
  await page.getByText('The test was not delivered').waitFor()
  status = 200
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('The test was delivered').waitFor()
  await page.getByRole('dialog').getByText('<b>bold</b>').waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  // The log shows by itself what was delivered, every digit of it, and HTML as text.
  await asOwner(`insert into ${table} values (9007199254740993, '${HTML}')`)
  const sent = await receiver.waitFor(isChange)
  const signature = createHmac('sha256', secret).update(sent.body).digest('hex')
  expect(sent.headers).toMatchObject({ 'x-service-signature': signature, 'x-api-key': 'of this receiver' })
  await page
    .getByRole('row', { name: /INSERT.*Delivered/ })
    .getByRole('link')
    .click()
  const panel = page.getByRole('dialog')
  await panel.getByText('9007199254740993').waitFor()
  await panel.getByText('onerror=').first().waitFor()
  expect(await panel.locator('img, b').count()).toBe(0)

  await panel.getByRole('button', { name: 'Replay' }).click()
  await panel.getByText('The replay was delivered').waitFor()
  expect(receiver.received.filter(isChange).map(({ body }) => body)).toEqual([sent.body, sent.body])

  // The address of the entry is enough for a colleague.
  await page.reload()
  await page.getByRole('dialog').getByText('9007199254740993').waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()

  // Tests are in the log alone. What a bar says is there without a mouse too.
  const chart = page.getByRole('figure', { name: 'Attempts of the last 24 hours' })
  await chart.getByText('By the hour').press('Enter')
  await chart.getByText('Within the last hour: 2 delivered, 0 failed').waitFor()

  await page.getByLabel('Outcome').click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await page.getByRole('row', { name: /TEST.*Answered 500/ }).waitFor()
  expect(await page.getByRole('row', { name: /Delivered/ }).count()).toBe(0)
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('failed')

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Changes are kept for seven days').waitFor()
  expect((await webhooks('GET', `/${id}`)).json).toMatchObject({ active: false })
  await asOwner(`insert into ${table} values (2, 'waits')`)
  const waiting = async () => {
    const { json } = await webhooks('GET', `/${id}`)
    return (json['statistics'] as { waiting: number }).waiting
  }
  await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await receiver.waitFor(({ body }) => body.includes('waits'))

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('dialog').getByRole('checkbox', { name: 'DELETE' }).click()
  await page.getByRole('dialog').getByPlaceholder('Stored: type to replace it').fill('of now')
  await page.getByRole('dialog').getByRole('button', { name: 'Change webhook' }).click()
  await page.getByText(`Sends INSERT, UPDATE of public.${table}`).waitFor()
  expect((await webhooks('GET', `/${id}`)).json).toMatchObject({
    events: ['INSERT', 'UPDATE'],
    headers: { 'X-Api-Key': '[secret]' },
    has_secret: true,
  })
  expect(await page.content()).not.toMatch(/of this receiver|of now/)

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Rotate or remove secret' }).click()
  await page.getByRole('radio', { name: /^None/ }).click()
  await page.getByRole('button', { name: 'Remove secret' }).click()
  await expect.poll(async () => (await webhooks('GET', `/${id}`)).json['has_secret']).toBe(false)

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete webhook' }).click()
  await page.getByLabel(`Type ${name} to confirm`).fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
  expect((await webhooks('GET', `/${id}`)).status).toBe(404)
  expect(seat.complaints).toEqual([])
})

it('lets a member see what was given up, and send it again', async () => {
  await using receiver = await startReceiver()
  const id = await makeWebhook({ table_name: await makeTable(), url: receiver.url })
  const payload =
    '{"event":"DELETE","schema":"public","table":"t","row":{"id":1},"old_row":{"id":1},' +
    '"timestamp":"2026-01-01T00:00:00.000Z"}'
  await asOwner(
    `insert into quoin.dead_letters (webhook_id, event_id, reason, payload)
      select '${id}', n || '.0', 'attempts_exhausted', '${payload}' from generate_series(1, 2) n`,
  )
  const { json } = await webhooks('GET', `/${id}/dead-letters`)
  const [letter] = json['data'] as { id: string }[]
  // Newer ones, which have been delivered since, fill the first page.
  await asOwner(
    `insert into quoin.dead_letters (webhook_id, event_id, reason, payload, resolved_at)
      select '${id}', n || '.0', 'attempts_exhausted', '${payload}', now() from generate_series(3, 60) n`,
  )
  atTheEnd(`delete from quoin.dead_letters where webhook_id = '${id}'`)
  const address = `/webhooks/${id}?tab=dead-letters&dead_letter=${letter?.id}`
  await using seat = await visit(address, { who: 'user' })
  const { page } = seat
  const panel = page.getByRole('dialog')

  await page.getByText('Dead letters (2)').waitFor()
  await panel.getByText('It is not among the newest 50.').waitFor()
  await panel.getByRole('button', { name: 'Show older ones' }).click()
  await panel.getByText('Nine attempts have failed').waitFor()
  await panel.getByText('Not delivered').waitFor()
  await panel.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('The replay was delivered').waitFor()
  await panel.getByText('Delivered since').waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Replay failed' }).click()
  await page.getByRole('button', { name: 'Replay failed' }).click()
  await page.getByText('1 event is queued again').waitFor()
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2)
  expect(seat.complaints).toEqual([])
})
