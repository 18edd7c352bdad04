// The overview of OAuth2, and the discovery document.

import { expect, inject, it } from 'vitest'
import { registerClient } from '../../support/applications.ts'
import { lastCopied, visit } from './visitor.ts'

const { base_url, oauth_public_url } = inject('stack')

it('says how the server does, what to configure there, and what changed last', async () => {
  const name = `<i>shop</i> ${crypto.randomUUID()}`
  const { client_id } = await registerClient({ client_name: name })
  await using seat = await visit('/oauth2')
  const { page } = seat
  await page.getByText('Ready', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Copy login URL' }).click()
  expect(await lastCopied(page)).toBe(`${base_url}/api/oauthsrv/bridge/login`)
  const link = page.getByRole('link', { name })
  expect(await link.getAttribute('href')).toBe(`/oauth2/clients/${client_id}`)
  expect(await page.getByRole('listitem').filter({ hasText: 'Confidential clients' }).textContent()).toMatch(
    /[1-9]/,
  )
  expect(seat.complaints).toEqual([])
})

it('tells a member why the last changes are not there', async () => {
  await using seat = await visit('/oauth2', { who: 'user' })
  await seat.page.getByText('The audit log is for administrators').waitFor()
  expect(seat.complaints).toEqual([])
})

it('shows the discovery document by its parts and as a whole', async () => {
  await using seat = await visit('/oauth2/discovery')
  const { page } = seat
  await page.getByRole('button', { name: 'Copy token_endpoint' }).click()
  expect(await lastCopied(page)).toBe(`${oauth_public_url}/oauth2/token`)
  await page.getByText('client_credentials', { exact: true }).waitFor()
  await page.getByText(/^(On|Off)$/).waitFor()
  const document = page.getByRole('link', { name: 'Open document' })
  expect(await document.getAttribute('href')).toBe(`${oauth_public_url}/.well-known/openid-configuration`)
  await page.getByRole('button', { name: 'Copy document' }).click()
  const copied = JSON.parse(await lastCopied(page)) as { issuer: string }
  expect(copied.issuer).toBe(oauth_public_url)
  expect(seat.complaints).toEqual([])
})
