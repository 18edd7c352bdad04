// Billing: what was used beside the quotas of the plan, and that there are none.

import { expect, it } from 'vitest'
import { contrastProblems } from './axe.ts'
import { visit } from './visitor.ts'

it('says that there is no quota, and shows usage as a meter where there is one, passed or not', async () => {
  await using seat = await visit('/billing')
  const { page } = seat
  const usage = page.getByRole('main').getByRole('listitem')
  await expect.poll(() => usage.count()).toBe(3)
  expect(await usage.filter({ hasText: 'no quota' }).count()).toBe(3)
  expect(await page.getByRole('meter').count()).toBe(0)

  await page.route('**/api/billing', async route => {
    const answer = await route.fetch()
    const billing = await answer.json()
    billing.plan = { ...billing.plan, name: 'Small', requests_per_month: 1_000, database_bytes: 2 ** 40 }
    billing.usage.requests = 1_001
    billing.projection = { requests: 2_500, estimated: true }
    await route.fulfill({ response: answer, json: billing })
  })
  await page.reload()
  const requests = page.getByRole('meter', { name: 'Requests' })
  await requests.waitFor()
  expect(await requests.getAttribute('aria-valuetext')).toBe('1,001 of 1,000')
  await usage.first().getByText('Over the quota', { exact: true }).waitFor()
  await usage
    .first()
    .getByText(/about 2,500 by the end of the month \(estimated\), which is over/)
    .waitFor()
  const size = page.getByRole('meter', { name: 'Size of the database' })
  expect(await size.getAttribute('aria-valuetext')).toMatch(/ MiB of 1 TiB$/)
  expect(await contrastProblems(page)).toEqual([])
  expect(seat.complaints).toEqual([])
})
