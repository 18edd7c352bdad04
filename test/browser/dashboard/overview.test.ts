// The start page: the tour once, the first steps as they are done, what fails with the way there, and the status in
// full.

import { expect, inject, it } from 'vitest'
import { registerClient } from '../../support/applications.ts'
import { startReceiver } from '../../support/receiver.ts'
import { visit } from './visitor.ts'

const { base_url, session_cookie_admin } = inject('stack')

async function call<T>(path: string, body: unknown): Promise<T> {
  const answer = await fetch(`${base_url}/api${path}`, {
    method: 'POST',
    headers: { cookie: session_cookie_admin ?? '', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

it('shows the tour until it is hidden, and again when somebody asks for it', async () => {
  await using seat = await visit('/')
  const { page } = seat
  const tour = page.getByRole('heading', { name: 'What is here' })
  await tour.waitFor()
  await page.getByRole('button', { name: 'Hide the tour' }).click()
  await tour.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Health' }).waitFor()
  expect(await tour.count()).toBe(0)
  await page.getByRole('button', { name: /^Signed in as/ }).click()
  await page.getByRole('menuitem', { name: 'Show the tour' }).click()
  await tour.waitFor()
  expect(seat.complaints).toEqual([])
})

it('says which webhook fails, and leads to it', async () => {
  const [table, name] = [`overview_${crypto.randomUUID().slice(0, 8)}`, `Overview ${crypto.randomUUID()}`]
  await using receiver = await startReceiver((_, answer) => {
    answer.statusCode = 500
    answer.end()
  })
  await call('/sql', { sql: `create table public.${table} (id int primary key)` })
  const fields = { table_schema: 'public', table_name: table, events: ['INSERT'], url: receiver.url }
  const { id } = await call<{ id: string }>('/webhooks', { name, ...fields })
  await call('/sql', { sql: `insert into public.${table} values (1)` })
  await receiver.waitFor(() => true)
  // The webhook's own record tells of the failure a moment after the receiver has.
  const failures = async () => {
    const answer = await fetch(`${base_url}/api/webhooks/${id}`, {
      headers: { cookie: session_cookie_admin ?? '' },
    })
    return ((await answer.json()) as { fail_count: number }).fail_count
  }
  await expect.poll(failures).toBeGreaterThan(0)

  await using seat = await visit('/')
  const { page } = seat
  // In quotation marks: it stands among the last changes too.
  const notice = page.getByRole('listitem').filter({ hasText: `“${name}”` })
  await notice.waitFor()
  expect(await notice.getByRole('link').getAttribute('href')).toBe(`/webhooks/${id}`)
  expect(
    await page
      .getByRole('status')
      .filter({ hasText: /need(s)? attention/ })
      .count(),
  ).toBe(1)
  expect(seat.complaints).toEqual([])
})

it('ticks a first step off once it is done, and shows what changed last', async () => {
  await registerClient()
  await using seat = await visit('/')
  const { page } = seat
  await page.getByRole('link', { name: 'Open the audit log' }).first().waitFor()
  await page
    .getByRole('link', { name: /^\w+\.\w+$/ })
    .first()
    .click()
  await page
    .getByRole('dialog')
    .getByText(/^What (changed|was done)$/)
    .waitFor()
  await page.goBack()
  // Other tests may have done the other steps: then all of this is gone.
  const steps = page.getByRole('heading', { name: 'First steps' })
  await page.getByText('Listener connected').waitFor()
  if ((await steps.count()) > 0)
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Register an application' })
      .getByLabel('Done', { exact: true })
      .waitFor()
  expect(seat.complaints).toEqual([])
})

it('says what a change was made to, and leads to it', async () => {
  const name = `Overview ${crypto.randomUUID()}`
  const { client_id: id } = await registerClient({ client_name: name })
  await using seat = await visit('/')
  const { page } = seat
  // Other tests change things too: the last ones of this client alone.
  await page.route(/\/api\/audit-logs\?limit=8$/, route =>
    route.continue({ url: `${route.request().url()}&target_kind=oauth_client&target_id=${id}` }),
  )
  await page.reload()
  await page.getByRole('link', { name }).click()
  await page.waitForURL(url => url.pathname === `/oauth2/clients/${id}`)
  expect(seat.complaints).toEqual([])
})

it('shows a member what they may see, and says who sees the rest', async () => {
  await using seat = await visit('/', { who: 'user' })
  const { page } = seat
  await page.getByText('Administrators see the database').waitFor()
  await page.getByText('is for administrators').waitFor()
  await page.getByText(/^No problems found$|need(s)? attention$/).waitFor()
  expect(await page.getByRole('link', { name: 'Database', exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: 'Status for administrators only' }).click()
  await page.getByText('Status: for administrators only').waitFor()
  expect(seat.complaints).toEqual([])
})

it('shows the status in full: each part, each outside system, each module', async () => {
  await using seat = await visit('/status')
  const { page } = seat
  await page.getByText('All applied').waitFor()
  await page.getByText('Answers, and knows every namespace').waitFor()
  await page.getByText('Connected', { exact: true }).waitFor()
  const modules = page.getByRole('region', { name: 'Modules' })
  await modules.getByRole('row', { name: /^webhooks .* On$/ }).waitFor()
  expect(seat.complaints).toEqual([])
})
