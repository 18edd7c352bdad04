// The advisor: a finding with what mends it, on its way into the SQL view; and what stands there when nothing is found.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectOwner } from '../../support/postgres.ts'
import { lastCopied, visit } from './visitor.ts'

const table = `b${crypto.randomUUID().replaceAll('-', '').slice(0, 10)}_notes`
const mended = `alter table "public"."${table}" enable row level security;`

async function asOwner(sql: string): Promise<void> {
  await using owner = await connectOwner()
  await owner.query(sql)
}

beforeAll(() =>
  asOwner(`create table ${table} (id int primary key); create policy p on ${table} using (true)`),
)
afterAll(() => asOwner(`drop table ${table}`))

it('shows a finding with its SQL, which goes to the SQL view', async () => {
  await using seat = await visit('/database/advisor?level=error&category=security')
  const { page } = seat
  const finding = page
    .getByRole('list', { name: 'Policies that are not in force' })
    .getByRole('listitem')
    .filter({ hasText: table })
  await finding.getByText('its policy decides nothing', { exact: false }).waitFor()
  await finding.getByText(/table · .* KiB/).waitFor()
  await finding.getByText(/Needs the rights of .*: put it into a migration/).waitFor()
  await finding.getByRole('button', { name: 'Copy' }).click()
  expect(await lastCopied(page)).toBe(mended)

  await finding.getByRole('button', { name: 'Open in SQL editor' }).click()
  await page
    .getByRole('textbox', { name: 'SQL', exact: true })
    .getByText('enable row level security')
    .waitFor()
  await page.goBack()

  await asOwner(mended)
  await page.getByRole('button', { name: 'Check again' }).click()
  await finding.waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Performance' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('category')).toBe('performance')
  expect(seat.complaints).toEqual([])
})

it('says so when nothing is found', async () => {
  await using seat = await visit('/')
  const { page } = seat
  await page.route('**/api/database/advisor', route =>
    route.fulfill({
      json: {
        findings: [],
        checks: [],
        tried: 0,
        not_tried: 2,
        complete: false,
        time: new Date().toISOString(),
      },
      headers: {
        'access-control-allow-origin': new URL(page.url()).origin,
        'access-control-allow-credentials': 'true',
      },
    }),
  )
  await page.getByRole('link', { name: 'Advisor' }).click()
  await page.getByText('No findings').waitFor()
  await page.getByText('2 relations not, since the time was up').waitFor()
})
