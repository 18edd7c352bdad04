// Consents: found by e-mail address, revoked at one client and at all, and signing out everywhere.

import { expect, inject, it } from 'vitest'
import {
  dashboard,
  introspect,
  makePerson,
  PersonsBrowser,
  registerClient,
  tokensFor,
} from '../../support/applications.ts'
import { visit } from './visitor.ts'

interface Consent {
  client: { client_id: string }
}

const consentsOf = (id: string) => dashboard<Consent[]>('GET', `/consent/${id}`)

it('finds a person by e-mail address, and revokes what they agreed to', async () => {
  const person = await makePerson()
  const browser = new PersonsBrowser(person)
  const names = ['<b>shop</b>', 'notes'].map(name => `${name} ${crypto.randomUUID()}`)
  const [shop = '', notes = ''] = names
  const tokens: string[] = []
  for (const client_name of names) {
    const client = await registerClient({ client_name })
    const flow = { client, browser, scope: 'openid email', decision: { remember: client_name === shop } }
    tokens.push((await tokensFor(flow)).access_token)
  }
  await using seat = await visit('/oauth2/consent')
  const { page } = seat
  await page.getByLabel('Person').fill(person.email)
  await page.keyboard.press('Enter')
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row(shop).filter({ hasText: 'until revoked' }).waitFor()
  await row(notes).filter({ hasText: 'asked each time' }).waitFor()
  expect(new URL(page.url()).searchParams.get('subject')).toBe(person.id)

  await row(shop).getByRole('button').click()
  await page.getByRole('dialog', { name: `Revoke consents at ${shop}?` }).waitFor()
  await page.getByRole('button', { name: 'Revoke consents', exact: true }).click()
  await expect.poll(() => consentsOf(person.id)).toHaveLength(1)
  await row(notes).waitFor()
  await row(shop).waitFor({ state: 'detached' })
  expect(await introspect(tokens[0] ?? '')).toEqual({ active: false })
  expect(await introspect(tokens[1] ?? '')).toMatchObject({ active: true })

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Signed out of every application').waitFor()
  await row(notes).filter({ hasText: 'not told' }).waitFor()
  await page.getByText('No consents', { exact: true }).waitFor()
  expect(await consentsOf(person.id)).toEqual([])
  expect(await introspect(tokens[1] ?? '')).toEqual({ active: false })
  expect(seat.complaints).toEqual([])
})

it('shows a member their own, by id, and says that nobody has an id', async () => {
  await using seat = await visit('/oauth2/consent', { who: 'user' })
  const { page } = seat
  await page.getByText('Searching by e-mail address is for administrators').waitFor()
  await page.getByRole('button', { name: 'Show my own' }).click()
  await page.getByText('(you)').waitFor()
  expect(new URL(page.url()).searchParams.get('subject')).toBe(inject('stack').user_identity_id)
  await page.getByLabel('Person').fill('nobody-at-all')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Nobody has the id "nobody-at-all"' }).waitFor()
  expect(seat.complaints).toEqual([])
})
