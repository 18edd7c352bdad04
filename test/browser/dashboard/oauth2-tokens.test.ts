// Tokens: introspected, revoked and flushed from the page, and kept nowhere.

import { expect, it } from 'vitest'
import { callTokenEndpoint, introspect, registerClient } from '../../support/applications.ts'
import { contrastProblems } from './axe.ts'
import { searchFor, visit } from './visitor.ts'

/** A token of a client's own. */
async function newToken(): Promise<{ token: string; clientId: string; name: string }> {
  const name = `browser ${crypto.randomUUID()}`
  const client = await registerClient({ client_name: name })
  const answer = await callTokenEndpoint(client, { grant_type: 'client_credentials', scope: 'read write' })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return { token, clientId: client.client_id, name }
}

it('introspects a token and revokes it, and keeps it nowhere', async () => {
  const { token, clientId, name } = await newToken()
  await using seat = await visit('/oauth2/tokens')
  const { page } = seat
  await page.getByLabel('Token', { exact: true }).fill(`  ${token}\n`)
  await page.getByRole('button', { name: 'Introspect token' }).click()
  await page.getByText('Active', { exact: true }).waitFor()
  await page.getByText('Access token: sent with each call of an API').waitFor()
  await page.getByText('The client itself: nobody signed in').waitFor()
  await page.getByText('in 1 hour').waitFor()
  const link = page.getByRole('link', { name })
  expect(await link.getAttribute('href')).toBe(`/oauth2/clients/${clientId}`)
  for (const scope of ['read', 'write']) await page.getByText(scope, { exact: true }).waitFor()

  expect(page.url()).not.toContain(token)
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
  )
  expect(stored).not.toContain(token)

  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('All access tokens of this client ended with it.').waitFor()
  expect(await introspect(token)).toEqual({ active: false })
  await page.getByRole('button', { name: 'Introspect token' }).click()
  await page.getByText('This token is not active').waitFor()
  expect(await contrastProblems(page)).toEqual([])
  expect(seat.complaints).toEqual([])
})

it('says of a token that is not active what it shows by itself', async () => {
  await using seat = await visit('/oauth2/tokens')
  const { page } = seat
  const idToken = ['{"alg":"RS256"}', '{"aud":["shop"],"sub":"ada","nonce":"n","exp":1}', 'x']
    .map(btoa)
    .join('.')
  await page.getByLabel('Token', { exact: true }).fill(idToken.replaceAll('=', ''))
  // Enter asks: a token has no lines.
  await page.keyboard.press('Enter')
  await page.getByText('This looks like an ID token.').waitFor()
  await page.getByText(/It says itself that it expired/).waitFor()
  await page.getByRole('button', { name: 'Decode it' }).waitFor()

  // Handed over by the search, on the page itself too.
  await searchFor(page, `svc_sk_${'x'.repeat(40)}`)
  await page.getByRole('option', { name: 'Introspect this token' }).click()
  await page.getByText('This is an API key of Quoin').waitFor()
  expect(seat.complaints).toEqual([])
})

it('deletes ended tokens for an administrator, and tells a member why not', async () => {
  await using admin = await visit('/oauth2/tokens')
  await admin.page.getByRole('button', { name: 'Delete ended tokens' }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Delete ended tokens' }).click()
  await admin.page.getByText(/^Deleted: \d/).waitFor()
  expect(admin.complaints).toEqual([])

  await using member = await visit('/oauth2/tokens', { who: 'user' })
  await member.page.getByText('For administrators: it concerns the tokens of all clients.').waitFor()
  expect(await member.page.getByRole('button', { name: 'Delete ended tokens' }).isDisabled()).toBe(true)
})
