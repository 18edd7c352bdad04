// A person signs in to an application and consents, in real Chromium: until openid-client holds the tokens.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makePerson } from '../support/applications.ts'
import { connectBrowser } from '../support/shared-browser.ts'
import { startApplication } from './application.ts'
import { fitsItsWidth, onBridge, PHONE, signIn, takeSeat } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

const approve = { name: 'Approve', exact: true }

describe.each([
  ['with JavaScript', { javaScriptEnabled: true }],
  ['without JavaScript', { javaScriptEnabled: false }],
  [
    'on a phone, without JavaScript, in the dark',
    { ...PHONE, javaScriptEnabled: false, colorScheme: 'dark' },
  ],
] as const)('%s', (_, options) => {
  it('a person signs in, consents, and the application gets tokens in that person’s name', async () => {
    await using application = await startApplication({ client_name: 'Corner Shop' })
    await using seat = await takeSeat(browser, options)
    const [person, begun] = [await makePerson(), await application.begin()]
    const { page } = seat
    await page.goto(begun.address)
    await signIn(page, person)
    await onBridge(page, 'consent')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toContain('Corner Shop')
    expect(await page.getByText(person.email).isVisible()).toBe(true)
    expect(await page.getByRole('checkbox').count()).toBe(5)
    await page.getByRole('button', approve).click()
    await page.waitForURL(`${application.url}/callback**`)
    const tokens = await begun.finish(page.url())
    expect(tokens.claims()).toMatchObject({ sub: person.id, email: person.email })
    expect(tokens.scope).toBe('openid profile email read')
    expect(seat.complaints).toEqual([])
  })

  it('a person denies, and the application is told so', async () => {
    await using application = await startApplication()
    await using seat = await takeSeat(browser, options)
    const { page } = seat
    await page.goto((await application.begin()).address)
    await signIn(page, await makePerson())
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${application.url}/callback**`)
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    expect(seat.complaints).toEqual([])
  })
})

it('grants only what stays ticked', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser)
  const [person, begun] = [await makePerson(), await application.begin()]
  const { page } = seat
  await page.goto(begun.address)
  await signIn(page, person)
  await page.getByLabel('See your e-mail address').uncheck()
  await page.getByRole('button', approve).click()
  await page.waitForURL(`${application.url}/callback**`)
  const tokens = await begun.finish(page.url())
  expect(tokens.scope).toBe('openid profile read')
  expect(tokens.claims()).not.toHaveProperty('email')
})

it('asks nobody twice who let it remember', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser)
  const person = await makePerson()
  const { page } = seat
  await page.goto((await application.begin()).address)
  await signIn(page, person)
  await page.getByLabel('Remember my choice').check()
  await page.getByRole('button', approve).click()
  await page.waitForURL(`${application.url}/callback**`)
  const again = await application.begin()
  await page.goto(again.address)
  await page.waitForURL(`${application.url}/callback**`)
  // Claims are sent again each time: the server forgets them.
  expect((await again.finish(page.url())).claims()).toMatchObject({ sub: person.id, email: person.email })
})

it('lets somebody else sign in on "Not you?"', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser)
  const [first, second] = [await makePerson(), await makePerson()]
  const begun = await application.begin()
  const { page } = seat
  await page.goto(begun.address)
  await signIn(page, first)
  await page.getByRole('button', { name: 'Not you?' }).click()
  await signIn(page, second)
  await onBridge(page, 'consent')
  expect(await page.getByText(second.email).isVisible()).toBe(true)
  await page.getByRole('button', approve).click()
  await page.waitForURL(`${application.url}/callback**`)
  expect((await begun.finish(page.url())).claims()?.sub).toBe(second.id)
})

// The OAuth2 server remembers the first; the tokens must be of whoever sits there now.
it('signs in whoever is signed in now, whomever the server remembers', async () => {
  await using application = await startApplication({ metadata: { skip_consent: true } })
  await using seat = await takeSeat(browser)
  const [first, second] = [await makePerson(), await makePerson()]
  const { page, context } = seat
  await page.goto((await application.begin()).address)
  await signIn(page, first)
  await page.waitForURL(`${application.url}/callback**`)
  await context.clearCookies({ name: 'ory_kratos_session' })
  await page.goto(`${inject('stack').identity_public_url}/self-service/login/browser`)
  await signIn(page, second)
  await page.getByText('Signed in as').waitFor()
  const begun = await application.begin()
  // Typed in once a moment ago: not asked for again.
  await page.goto(begun.address)
  await page.waitForURL(`${application.url}/callback**`)
  expect((await begun.finish(page.url())).claims()?.sub).toBe(second.id)
})

it('asks for the password again with prompt=login, though somebody is signed in', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser)
  const person = await makePerson()
  const { page } = seat
  await page.goto((await application.begin()).address)
  await signIn(page, person)
  await onBridge(page, 'consent')
  const begun = await application.begin({ prompt: 'login' })
  await page.goto(begun.address)
  await page.waitForURL(url => url.origin === inject('stack').identity_public_url)
  await page.locator('input[name=password]').fill(person.password)
  await page.getByRole('button', { name: /sign in|confirm/i }).click()
  await page.getByRole('button', approve).click()
  await page.waitForURL(`${application.url}/callback**`)
  expect((await begun.finish(page.url())).claims()?.sub).toBe(person.id)
})

// Whoever is asked for a password must see by whom, and what it is for.
it('names the product and the application where the password is typed in', async () => {
  await using application = await startApplication({ client_name: 'Corner <b>Shop</b>' })
  await using seat = await takeSeat(browser)
  const { page } = seat
  await page.goto((await application.begin()).address)
  await page.waitForURL(url => url.origin === inject('stack').identity_public_url)
  for (const title of ['Sign in', 'Create an account']) {
    expect(await page.title()).toBe(`${title} · Quoin`)
    expect(await page.locator('main').textContent()).toContain('To continue to Corner <b>Shop</b>')
    if (title === 'Sign in') await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
  }
})

it('can be used with the keyboard alone', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser)
  const { page } = seat
  await page.goto((await application.begin()).address)
  await signIn(page, await makePerson())
  await onBridge(page, 'consent')
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
  for (let i = 0; i < 20 && (await focused()) !== 'Approve'; i++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${application.url}/callback?code=**`)
})

it('fits the narrowest phone, whatever the application is called', async () => {
  await using application = await startApplication({
    client_name: `${'Verylongnamewithoutanyblank'.repeat(4)} <script>alert(1)</script>`,
    client_uri: 'https://a-rather-long-host-name.of-the-application.example',
  })
  await using seat = await takeSeat(browser, { ...PHONE, viewport: { width: 320, height: 568 } })
  const { page } = seat
  await page.goto((await application.begin()).address)
  await signIn(page, await makePerson())
  await onBridge(page, 'consent')
  expect(await fitsItsWidth(page)).toBe(true)
  expect(seat.complaints).toEqual([])
})

// A session that somebody ended, because a computer was stolen, must give no tokens on it.
it('takes no answer from a session that has ended, and leads to another sign-in', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser, { javaScriptEnabled: false })
  const [person, begun] = [await makePerson(), await application.begin()]
  const { page } = seat
  await page.goto(begun.address)
  await signIn(page, person)
  await onBridge(page, 'consent')
  const sessions = `${inject('stack').identity_admin_url}/admin/identities/${person.id}/sessions`
  await fetch(sessions, { method: 'DELETE' })
  await page.getByRole('button', approve).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await page.getByRole('link', { name: 'Start again' }).click()
  await signIn(page, person)
  await page.getByRole('button', approve).click()
  await page.waitForURL(`${application.url}/callback**`)
  expect((await begun.finish(page.url())).claims()?.sub).toBe(person.id)
})

it('says that a consent was answered before, and starts again from there', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser)
  const { page } = seat
  await page.goto((await application.begin()).address)
  await signIn(page, await makePerson())
  await onBridge(page, 'consent')
  const screen = page.url()
  await page.getByRole('button', approve).click()
  await page.waitForURL(`${application.url}/callback**`)
  await page.goto(screen)
  await page.getByRole('heading', { name: 'This was answered already' }).waitFor()
  await page.getByRole('link', { name: 'Start again' }).click()
  await onBridge(page, 'consent')
  expect(page.url()).not.toBe(screen)
  await page.getByRole('button', approve).waitFor()
})

// Approving in another browser what somebody opened in this one is what the cookie of the page is against.
it('takes no form back whose cookie is gone', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser)
  const { page, context } = seat
  await page.goto((await application.begin()).address)
  await signIn(page, await makePerson())
  await onBridge(page, 'consent')
  await context.clearCookies({ name: 'quoin_form' })
  await page.getByRole('button', approve).click()
  await page.getByRole('heading', { name: 'This form is not valid any more' }).waitFor()
})
