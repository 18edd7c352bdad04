// The logs: what a request was, what it changed and what was sent, by filters in the address, and the ways from there.

import { afterAll, expect, inject, it } from 'vitest'
import { makeTable, makeWebhook, tidyUp, webhooks } from '../../contract/webhooks/caller.ts'
import { makeKey } from '../../support/keys.ts'
import { startReceiver } from '../../support/receiver.ts'
import { contrastProblems } from './axe.ts'
import { goTo } from './pages.ts'
import { visit } from './visitor.ts'

const { base_url, dashboard_url } = inject('stack')

afterAll(tidyUp)

/** Isolates tell of their requests after ten seconds. */
const TOLD = { timeout: 25_000 }

it('has a request and its change under one id, and leads to the key, the route and the audit log', async () => {
  const name = `logged ${crypto.randomUUID()}`
  const { id, key } = await makeKey('service_role', { name })
  const made = await fetch(`${base_url}/v1/keys`, {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'made by it', role: 'anon' }),
  })
  const request = made.headers.get('x-request-id') ?? ''
  await using seat = await visit(`/logs?request_id=${request}`)
  const { page } = seat
  const rows = page.getByRole('region', { name: 'Logs' }).getByRole('row')
  const panel = page.getByRole('dialog')
  await page.getByRole('link', { name: 'keys.create' }).click()
  await panel.getByText('Succeeded').waitFor()
  const change = panel.getByRole('link', { name: 'What changed, in the audit log' })
  expect(await change.getAttribute('href')).toMatch(`entry_request=${request}`)
  expect(await contrastProblems(page)).toEqual([])
  await page.keyboard.press('Escape')

  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      return rows.count()
    }, TOLD)
    .toBe(3)
  await page.getByRole('link', { name: 'POST /v1/keys' }).click()
  await panel.getByText('Answered 201').waitFor()
  await panel.getByText(name).waitFor()
  const wayTo = (link: string) => panel.getByRole('link', { name: link }).getAttribute('href')
  expect(await wayTo('Show it')).toBe(`/keys?key=${id}&revoked=true`)
  expect(await wayTo('Everything of this request')).toBe(`/logs?request_id=${request}`)
  // The same address, where the list has not come to it.
  const opened = new URL(page.url())
  opened.searchParams.set('request_id', 'another')
  await page.goto(opened.href)
  await panel.getByText('Answered 201').waitFor()
  await panel.getByRole('link', { name: 'Only this route' }).click()
  await page.getByLabel('Route').and(page.locator('[value="POST /v1/keys"]')).waitFor()
  await goTo(page, '/logs?entry=nobody&entry_source=request&entry_time=2026-01-01T00:00:00Z')
  await panel.getByText('No entry has this id and time.').waitFor()
  expect(seat.complaints).toEqual([])
})

it('has deliveries with the way to what was sent, and filters by kind and status', async () => {
  await using receiver = await startReceiver((_, answer) => answer.writeHead(418).end())
  const webhook = await makeWebhook({ url: receiver.url, table_name: await makeTable() })
  const { json } = await webhooks('POST', `/${webhook}/test`)
  await using seat = await visit('/logs')
  const { page } = seat
  await page.getByLabel('Kind').click()
  await page.getByRole('option', { name: 'Delivery' }).click()
  await page.getByLabel('Status').fill('418')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toBe(`${dashboard_url}/logs?source=delivery&status=418`)
  await page.getByRole('region', { name: 'Logs' }).getByRole('link', { name: 'TEST' }).first().click()
  const panel = page.getByRole('dialog')
  await panel.getByText('Answered 418').waitFor()
  await panel.getByRole('link', { name: 'What was sent, and the answer' }).click()
  await expect.poll(() => page.url()).toBe(`${dashboard_url}/webhooks/${webhook}?delivery=${json['log_id']}`)

  await goTo(page, '/logs?status=418&request_id=none')
  await page.getByText('No entry matches').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => page.url()).toBe(`${dashboard_url}/logs`)
  await page.getByLabel('Status').fill('nonsense')
  await page.getByLabel('Status').blur()
  // Whatever fails leads to itself.
  await page.getByText('Must be a status as 404, or a class as 5xx').waitFor()
  const failed = page.getByRole('link', { name: 'Show it in the logs' })
  expect(await failed.getAttribute('href')).toMatch(/^\/logs\?request_id=[0-9a-f-]{36}$/)
  expect(seat.complaints).toEqual([])
})
