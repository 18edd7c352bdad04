// People: found by their address, and signed out from the page.

import { expect, inject, it } from 'vitest'
import { signInAsBrowser } from '../../../stand-ins/identity-server/seeds.ts'
import { makePerson, type Person } from '../../support/applications.ts'
import { visit } from './visitor.ts'

const identityUrl = inject('stack').identity_public_url ?? ''

async function isSignedIn(cookie: string): Promise<boolean> {
  const answer = await fetch(`${identityUrl}/sessions/whoami`, { headers: { cookie } })
  return answer.status === 200
}

const signIn = (person: Person) => signInAsBrowser(identityUrl, person)

it('finds a person, shows where they are signed in, and ends one session or all', async () => {
  const person = await makePerson({ role: 'member' })
  const first = await signIn(person)
  await using seat = await visit('/identities')
  const { page } = seat
  await page.getByLabel('Email address').fill(`nobody-${person.email}`)
  await page.keyboard.press('Enter')
  await page.getByText(`Nobody signs in as nobody-${person.email}`).waitFor()
  await page.getByLabel('Email address').fill(person.email.toUpperCase())
  await page.getByRole('button', { name: 'Find person' }).click()
  await page.getByRole('link', { name: person.email }).click()
  await page.getByRole('heading', { name: person.email }).waitFor()
  await page.getByText('Ada Lovelace').waitFor()
  const subject = `subject=${person.id}`
  expect(
    await page.getByRole('link', { name: 'Applications they agreed to' }).getAttribute('href'),
  ).toContain(subject)

  const end = page.getByRole('button', { name: 'End session' })
  await expect.poll(() => end.count()).toBe(1)
  await end.click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await page.getByText('No active sessions').waitFor()
  expect(await isSignedIn(first)).toBe(false)

  const others = [await signIn(person), await signIn(person)]
  await page.reload()
  await expect.poll(() => end.count()).toBe(2)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('All 2 sessions end').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('No active sessions').waitFor()
  expect(await Promise.all(others.map(isSignedIn))).toEqual([false, false])

  await page.getByRole('link', { name: 'Changes to this person' }).click()
  await page.getByRole('link', { name: 'identities.sign_out' }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('says that there is nobody at an address without a person', async () => {
  await using seat = await visit(`/identities/${crypto.randomUUID()}`)
  await seat.page.getByText('No identity has this id.').waitFor()
})
