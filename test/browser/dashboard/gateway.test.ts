// The gateway: its parts as they do, and the access rules by level and by words.

import { expect, it } from 'vitest'
import { visit } from './visitor.ts'

it('is reached from the status, and says of each part how it does and how soon it answers', async () => {
  await using seat = await visit('/status')
  const { page } = seat
  await page.getByRole('link', { name: 'Every part, with its latency' }).click()
  const parts = page.getByRole('region', { name: 'Parts' })
  const database = parts.getByRole('row').filter({ hasText: 'Postgres, as the owner' })
  await database.getByText('Up', { exact: true }).waitFor()
  expect(await database.textContent()).toMatch(/\d ms.*by every key/)
  expect(await parts.getByRole('row').count()).toBe(14)
  expect(seat.complaints).toEqual([])
})

it('says of a part that is down what to do, and of the whole what that means', async () => {
  await using seat = await visit('/')
  const { page } = seat
  await page.route('**/api/gateway/health', async route => {
    const response = await route.fetch()
    const health = await response.json()
    const parts = health.parts.map((part: { name: string }) =>
      part.name === 'sql_gateway'
        ? { ...part, state: 'down', latency_ms: null, reason: 'Look at it.' }
        : part,
    )
    await route.fulfill({ response, status: 503, json: { ...health, status: 'unavailable', parts } })
  })
  await page.getByRole('link', { name: 'Gateway', exact: true }).click()
  await page.getByText('Unavailable: calls with an API key fail').waitFor()
  const gateway = page.getByRole('row').filter({ hasText: 'SQL gateway' })
  expect(await gateway.textContent()).toMatch(/Look at it\..*Down/)
})

it('shows the rules by level and words that stand in the address, and says when none is left', async () => {
  await using seat = await visit('/gateway?level=service_role&search=rotate')
  const { page } = seat
  const rules = page.getByRole('region', { name: 'Access rules' })
  await rules.getByText('POST /v1/keys/:id/rotate').waitFor()
  expect(await rules.getByRole('row').count()).toBe(2)
  const field = page.getByRole('searchbox', { name: 'Search rules' })
  await field.fill('no such words')
  await page.getByText('No rule matches').waitFor()
  await page.getByRole('button', { name: 'Show all rules' }).click()
  await rules.getByText('GET /healthz').waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect(seat.complaints).toEqual([])
})
