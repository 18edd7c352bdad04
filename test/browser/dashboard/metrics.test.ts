// Metrics: figures in words, charts that say what they show, and tables of who and what is behind them.

import { afterAll, expect, inject, it } from 'vitest'
import { asOwner } from '../../contract/data-api/caller.ts'
import { atTheEnd, tidyUp } from '../../contract/webhooks/caller.ts'
import { makeKey } from '../../support/keys.ts'
import { lookIn } from './pages.ts'
import { DESKTOP, PHONE, visit } from './visitor.ts'

const { dashboard_url } = inject('stack')

afterAll(tidyUp)

it('shows what a key has called, as figures, as a chart and step by step, and leads to the key', async () => {
  const name = `counted ${crypto.randomUUID()}`
  const { id } = await makeKey('anon', { name })
  await asOwner(`insert into quoin.usage (hour, key_id, key_hash, requests, total)
    values (date_trunc('hour', now()) - interval '1 hour', '${id}', repeat('0', 64), array_fill(72, array[60]), 4320)`)
  atTheEnd(`delete from quoin.api_keys where id = '${id}'`)
  await using seat = await visit('/metrics')
  const { page } = seat
  await page.getByRole('img', { name: /^Requests with API keys over time: [\d,]+ in all/ }).waitFor()
  await page.getByText('Figures of each step').click()
  // Four steps of 15 minutes are of that hour.
  const steps = page.getByRole('region', { name: 'Figures of each step' }).getByRole('row')
  await expect.poll(() => steps.filter({ hasText: /1,\d{3}/ }).count()).toBeGreaterThanOrEqual(4)

  await page.getByRole('button', { name: 'Week' }).click()
  await page.getByText('One step is 1 hour. Answers in steps below an hour are kept since').waitFor()
  expect(page.url()).toBe(`${dashboard_url}/metrics?period=week`)
  const row = page.getByRole('region', { name: 'API keys' }).getByRole('row', { name })
  expect(await row.getByRole('cell').allTextContents()).toEqual([name, 'anon', '4,320'])
  await row.getByRole('link').click()
  await page.getByRole('dialog').getByRole('heading', { name }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('shows answers by status and duration, routes in any order, and in both themes', async () => {
  const route = (name: string, requests: number, failed: number, p95: number) => ({
    route: name,
    requests,
    client_errors: 1,
    server_errors: failed,
    p50_ms: 2.5,
    p95_ms: p95,
    p99_ms: 10_000,
  })
  await using seat = await visit('/keys')
  const { page } = seat
  await page.route('**/api/metrics?*', async going => {
    const answer = await going.fetch()
    const metrics = await answer.json()
    const durations = { p50_ms: 2.5, p95_ms: 40, p99_ms: 10_000 }
    const series = metrics.responses.series.map((step: { time: string }, i: number) =>
      i < 2
        ? { ...step, requests: 100, by_status: { '2xx': 79, '4xx': 1, '5xx': 20 }, ...durations }
        : { ...step, requests: 0, by_status: {}, p50_ms: null, p95_ms: null, p99_ms: null },
    )
    const routes = [route('GET /v1/slow', 150, 40, 40), route('GET /v1/slower', 50, 0, 900)]
    metrics.responses = { ...metrics.responses, ...durations, total: 200, series, by_route: routes }
    await going.fulfill({ response: answer, json: metrics })
  })
  await page.goto(`${dashboard_url}/metrics?period=hour`)
  await page.getByText('40 answered with 5xx, 2 refused with 4xx').waitFor()
  await page.getByText('20%', { exact: true }).waitFor()
  await page.getByText('Half within 2.5 ms, 99 of 100 within 10 s or more').waitFor()
  const charts = page.getByRole('img', { name: /over time/ })
  await page.getByRole('img', { name: /^Answers by status over time: 200 in all/ }).waitFor()
  await page.getByRole('img', { name: /^Milliseconds to the answer over time/ }).waitFor()
  await lookIn(page, 'dark')
  await page.setViewportSize(PHONE)
  const width = async () => (await charts.first().locator('canvas').boundingBox())?.width
  await expect.poll(width).toBeLessThan(PHONE.width)
  await page.setViewportSize(DESKTOP)

  const first = page.getByRole('region', { name: 'Routes' }).getByRole('row').nth(1)
  expect(await first.textContent()).toContain('GET /v1/slow1')
  await page.getByRole('button', { name: 'p95' }).click()
  await expect.poll(() => first.textContent()).toContain('GET /v1/slower')
  expect(page.url()).toBe(`${dashboard_url}/metrics?period=hour&sort=p95_ms.desc`)
  const href = await first.getByRole('link').getAttribute('href')
  expect(href).toMatch(/^\/logs\?source=request&route=GET\+%2Fv1%2Fslower&from=/)
  expect(seat.complaints).toEqual([])
})

it('says where nothing was called', async () => {
  await using seat = await visit('/keys')
  const { page } = seat
  await page.route('**/api/metrics?*', async going => {
    const answer = await going.fetch()
    const metrics = await answer.json()
    metrics.requests.total = 0
    metrics.responses.total = 0
    await going.fulfill({ response: answer, json: metrics })
  })
  await page.goto(`${dashboard_url}/metrics`)
  await page.getByText('No requests in this period').waitFor()
  expect(seat.complaints).toEqual([])
})
