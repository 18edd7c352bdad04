// What is around the views: signing in and out, a session that ends in the middle of the work, the search, light and
// dark, and a server that is not there.

import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { makePerson } from '../../support/applications.ts'
import { signIn } from '../people.ts'
import { searchFor, visit } from './visitor.ts'

const { dashboard_url } = inject('stack')

const signInLink = (page: Page) => page.getByRole('link', { name: 'Sign in' })
const userMenu = (page: Page) => page.getByRole('button', { name: /^Signed in as/ })

it('signs somebody in at the identity provider, brings them back to the address, and signs them out', async () => {
  const person = await makePerson({ role: 'admin' })
  await using seat = await visit('/keys?search=nothing-is-called-that', { who: 'nobody' })
  const { page } = seat
  await page.getByRole('heading', { name: 'Sign in to Quoin' }).waitFor()
  await signInLink(page).click()
  await signIn(page, person)
  await page.waitForURL(`${dashboard_url}/keys?search=nothing-is-called-that`)
  await page.getByText('No key matches').waitFor()

  await userMenu(page).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Quoin' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in to Quoin' }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('keeps what was typed when the session ends, and goes on after signing in in a new window', async () => {
  const person = await makePerson({ role: 'admin' })
  await using seat = await visit('/keys?create=true', { who: 'nobody' })
  const { page, context } = seat
  await signInLink(page).click()
  await signIn(page, person)
  const name = `typed before ${crypto.randomUUID()}`
  await page.getByLabel('Name').fill(name)
  await context.clearCookies()
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create key' })
  await create.click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()

  const [window] = await Promise.all([context.waitForEvent('page'), signInLink(page).click()])
  const isDone = Promise.race([
    window.waitForEvent('close'),
    window.getByRole('heading', { name: 'You are signed in' }).waitFor(),
  ])
  await signIn(window, person)
  await isDone
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').inputValue()).toBe(name)
  await create.click()
  await page.getByRole('heading', { name: `Key “${name}” is created` }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('tells somebody without a role why they may not come in, and lets them be somebody else', async () => {
  const stranger = await makePerson({})
  await using seat = await visit('/', { who: 'nobody' })
  const { page } = seat
  await signInLink(page).click()
  await signIn(page, stranger)
  await page.getByRole('heading', { name: 'This account may not use the dashboard' }).waitFor()
  await page.getByText('Ask an administrator to set metadata_public.role').waitFor()
  await page.getByRole('button', { name: 'Sign in as somebody else' }).click()
  await page.getByRole('heading', { name: 'Sign in to Quoin' }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('finds views and people by the keyboard alone', async () => {
  const person = await makePerson({ role: 'member' })
  await using seat = await visit('/keys')
  const { page } = seat
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await searchFor(page, 'who did what')
  await page.getByRole('option', { name: /Audit log/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit log' }).waitFor()

  await searchFor(page, person.email)
  await page.getByRole('option', { name: person.email }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: person.email }).waitFor()
  expect(page.url()).toBe(`${dashboard_url}/identities/${person.id}`)
  expect(seat.complaints).toEqual([])
})

it('keeps light or dark as it was chosen, until the system decides again', async () => {
  await using seat = await visit('/', { colorScheme: 'light' })
  const { page } = seat
  const choose = async (choice: string) => {
    await userMenu(page).click()
    await page.getByRole('menuitem', { name: choice }).click()
  }
  const mode = () => page.locator('html').getAttribute('data-mode')
  await choose('Dark')
  expect(await mode()).toBe('dark')
  await page.reload()
  await userMenu(page).waitFor()
  expect(await mode()).toBe('dark')
  await choose('As the system')
  expect(await mode()).toBe('light')
  expect(seat.complaints).toEqual([])
})

it('shows what it knows while the server is away, and goes on when it is back', async () => {
  await using seat = await visit('/status')
  const { page, context } = seat
  await page.getByText('All applied').waitFor()
  await context.route(/\/api\//, route => route.abort())
  await page.getByRole('link', { name: 'Identities' }).click()
  await page.getByText('Quoin does not answer').waitFor()
  await page.getByText('The server cannot be reached.').waitFor()
  await page.getByRole('link', { name: 'Overview' }).first().click()
  await page.getByText(/^Could not be read: .*webhooks, migrations/).waitFor()
  await page.getByRole('link', { name: 'Status' }).click()
  await page.getByText('All applied').waitFor()
  await page.getByRole('link', { name: 'Identities' }).click()
  await context.unroute(/\/api\//)
  await page.getByRole('table').waitFor()
  await page.getByText('Quoin does not answer').waitFor({ state: 'detached' })

  // The page itself, started while the server is away.
  await context.route(/\/api\//, route => route.abort())
  await page.reload()
  await page.getByText('Retrying automatically.').waitFor()
  await context.unroute(/\/api\//)
  await page.getByRole('table').waitFor()
  expect(seat.complaints.filter(text => !text.includes('net::ERR_FAILED'))).toEqual([])
})
