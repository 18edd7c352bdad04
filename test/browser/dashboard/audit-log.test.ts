// The audit log: filtered in the address, an entry with what changed, the ways to its record and back.

import { expect, inject, it } from 'vitest'
import { dashboard, registerClient } from '../../support/applications.ts'
import { goTo } from './pages.ts'
import { visit } from './visitor.ts'

const { base_url, dashboard_url, admin_identity_id: adminId, session_cookie_admin } = inject('stack')

it('shows what is different since a change, and leads to the record, the actor and the target', async () => {
  const evil = `<img src=x onerror="document.title='taken'"> ${crypto.randomUUID()}`
  const { client_id: id } = await registerClient({ metadata: { team: 'shop', limits: { a: 1, b: 2 } } })
  await dashboard('PUT', `/clients/${id}`, {
    client_name: evil,
    redirect_uris: ['https://shop.example.com/new'],
    metadata: { team: 'shop', limits: { a: 1, b: 3 } },
  })
  const filter = new URLSearchParams({ target_kind: 'oauth_client', target_id: id })
  await using seat = await visit(`/audit-log?${filter}`)
  const { page } = seat
  const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByRole('link', { name: 'oauth_clients.update' }).click()

  const changed = page.getByRole('region', { name: 'What changed' })
  await changed.getByRole('row', { name: /changed: client_name/ }).waitFor()
  expect(await changed.getByRole('row', { name: /changed: client_name/ }).textContent()).toContain(evil)
  expect(await changed.getByRole('row', { name: /changed: metadata.limits.b/ }).textContent()).toMatch(/23$/)
  expect(await changed.getByRole('row', { name: /removed: redirect_uris/ }).textContent()).toContain(':5999/')
  expect(await changed.getByRole('row', { name: /added: redirect_uris/ }).textContent()).toContain('/new')
  expect(await changed.getByRole('row', { name: /team/ }).count()).toBe(0)
  await page.getByRole('button', { name: /unchanged fields$/ }).click()
  await changed.getByRole('row', { name: /unchanged: metadata.team/ }).waitFor()
  expect(await page.title()).toBe('Audit log · Quoin')

  // The same address, in another browser: the entry is found also where the list has not come to it.
  const opened = new URL(page.url())
  opened.searchParams.set('target_id', 'another')
  await page.goto(opened.href)
  await changed.getByRole('row', { name: /changed: client_name/ }).waitFor()

  const record = page.getByRole('link', { name: 'Show it' })
  expect(await record.last().getAttribute('href')).toBe(`/oauth2/clients/${id}`)
  expect(await record.first().getAttribute('href')).toBe(`/identities/${adminId}`)
  await page.getByRole('link', { name: 'Only this target' }).click()
  await expect.poll(() => rows.count()).toBe(3)
  expect(await page.getByLabel('Target', { exact: true }).inputValue()).toBe(id)
  // Nothing leads to what was deleted.
  await dashboard('DELETE', `/clients/${id}`)
  await goTo(page, `/audit-log?target_id=${id}&action=oauth_clients.delete`)
  await page.getByRole('link', { name: 'oauth_clients.delete' }).click()
  await page.getByRole('link', { name: 'Only this target' }).waitFor()
  expect(await record.count()).toBe(1)
  await goTo(page, '/audit-log?entry=nobody')
  await page.getByRole('dialog').getByText('No log entry has this id and request.').waitFor()
  expect(seat.complaints).toEqual([])
})

it('shows of SQL its text and what came of it, and of a failure the code', async () => {
  const marker = crypto.randomUUID()
  const run = (sql: string) =>
    fetch(`${base_url}/api/sql`, {
      method: 'POST',
      headers: { cookie: session_cookie_admin ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ sql }),
    })
  const answer = await run(`select '${marker}' as found from no_such_table`)
  const { request_id: request } = (await answer.json()) as { request_id: string }
  await using seat = await visit(`/audit-log?request_id=${request}`)
  const { page } = seat
  await page.getByRole('link', { name: 'sql.run' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByText(`select '${marker}' as found from no_such_table`).waitFor()
  await panel.getByText('42P01').waitFor()
  expect(seat.complaints).toEqual([])
})

it('filters by what is typed, says where nothing matches, and loads what is older', async () => {
  const { client_id: id } = await registerClient()
  const change = (_: unknown, i: number) => dashboard('PUT', `/clients/${id}`, { client_name: `change ${i}` })
  await Promise.all(Array.from({ length: 100 }, change))
  await using seat = await visit(`/audit-log?target_id=${id}`)
  const { page } = seat
  await page.getByText('100 shown').waitFor()
  await page.getByRole('button', { name: 'Load older entries' }).click()
  await page.getByText('101 shown, and that is all').waitFor()

  await page.getByLabel('Action').fill('oauth_clients.create')
  await page.keyboard.press('Enter')
  await page.getByText('1 shown, and that is all').waitFor()
  expect(page.url()).toBe(`${dashboard_url}/audit-log?target_id=${id}&action=oauth_clients.create`)
  await page.getByLabel('Outcome').click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await page.getByText('No entry matches').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => page.url()).toBe(`${dashboard_url}/audit-log`)
  expect(seat.complaints).toEqual([])
})
