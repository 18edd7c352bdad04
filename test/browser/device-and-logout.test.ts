// A device is connected and a person signs out, in real Chromium.

import * as client from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makePerson } from '../support/applications.ts'
import { connectBrowser } from '../support/shared-browser.ts'
import { startApplication } from './application.ts'
import { fitsItsWidth, onBridge, PHONE, type Seat, signIn, takeSeat } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

const approve = { name: 'Approve', exact: true }

describe.each([
  ['with JavaScript', { javaScriptEnabled: true }],
  ['on a phone without JavaScript', { ...PHONE, javaScriptEnabled: false }],
] as const)('%s', (_, options) => {
  it('a device is connected by its code, which is shown again before anything is granted', async () => {
    await using application = await startApplication({ client_name: 'Living room TV' })
    await using seat = await takeSeat(browser, options)
    const [person, { page }] = [await makePerson(), seat]
    const device = await client.initiateDeviceAuthorization(application.configuration, {
      scope: 'openid email',
    })
    await page.goto(device.verification_uri)
    await page.getByLabel('Code on the device').fill('WRONGCOD')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code on the device').fill(device.user_code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await signIn(page, person)
    await onBridge(page, 'consent')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Living room TV')
    const shown = (await page.locator('.code').textContent()) ?? ''
    expect(shown.replace('-', '')).toBe(device.user_code)
    await page.getByRole('button', approve).click()
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()
    const tokens = await client.pollDeviceAuthorizationGrant(application.configuration, device)
    expect(tokens.claims()).toMatchObject({ sub: person.id, email: person.email })
    expect(seat.complaints.filter(text => !text.includes('400'))).toEqual([])
  })

  it('a person signs out, and has to sign in again', async () => {
    await using application = await startApplication({ client_name: 'Corner Shop' })
    await using seat = await takeSeat(browser, options)
    const [person, begun, { page }] = [await makePerson(), await application.begin(), seat]
    await page.goto(begun.address)
    await signIn(page, person)
    await page.getByLabel('Remember my choice').check()
    await page.getByRole('button', approve).click()
    await page.waitForURL(`${application.url}/callback**`)
    const { id_token = '' } = await begun.finish(page.url())
    await page.goto(application.signOutUrl(id_token))
    await onBridge(page, 'logout')
    expect(await page.getByText('Corner Shop asks to sign you out').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${application.url}/signed-out**`)
    await page.goto((await application.begin()).address)
    await page.waitForURL(url => url.origin === inject('stack').identity_public_url)
    expect(seat.complaints).toEqual([])
  })
})

// A link with a code in it must not connect a stranger's device by being opened (RFC 8628 section 5.4).
it('connects no device by the address alone', async () => {
  await using application = await startApplication({ skip_consent: true, metadata: { skip_consent: true } })
  await using seat = await takeSeat(browser, PHONE)
  const { page } = seat
  const device = await client.initiateDeviceAuthorization(application.configuration, { scope: 'openid' })
  await page.goto(device.verification_uri_complete ?? '')
  await onBridge(page, 'device')
  expect((await page.getByLabel('Code on the device').inputValue()).replace('-', '')).toBe(device.user_code)
  expect(await fitsItsWidth(page)).toBe(true)
  await page.getByRole('button', { name: 'Continue' }).click()
  await signIn(page, await makePerson())
  await onBridge(page, 'consent')
  expect(await page.getByRole('button', approve).isVisible()).toBe(true)
})

/** The code is typed in where the page does not know it, and sent. */
async function sendCode(page: Page, userCode: string): Promise<void> {
  await onBridge(page, 'device')
  const field = page.getByLabel('Code on the device')
  if ((await field.inputValue()) === '') await field.fill(userCode)
  await page.getByRole('button', { name: 'Continue' }).click()
}

// The OAuth2 server ignores `prompt=login` in a device's address. It went from the code to the password and back,
// without end.
describe('a device, where the OAuth2 server remembers somebody else', () => {
  async function remembered(seat: Seat) {
    const application = await startApplication({ metadata: { skip_consent: true } })
    const [first, second] = [await makePerson(), await makePerson()]
    await seat.page.goto((await application.begin()).address)
    await signIn(seat.page, first)
    await seat.page.waitForURL(`${application.url}/callback**`)
    const device = await client.initiateDeviceAuthorization(application.configuration, {
      scope: 'openid email',
    })
    return { application, device, second, [Symbol.asyncDispose]: application[Symbol.asyncDispose] }
  }

  it('is connected for whoever says "Not you?", with one password', async () => {
    await using seat = await takeSeat(browser)
    await using scene = await remembered(seat)
    const [{ page }, { device, second }] = [seat, scene]
    await page.goto(device.verification_uri)
    await sendCode(page, device.user_code)
    await onBridge(page, 'consent')
    await page.getByRole('button', { name: 'Not you?' }).click()
    await sendCode(page, device.user_code)
    await signIn(page, second)
    await onBridge(page, 'consent')
    expect(await page.getByText(second.email).isVisible()).toBe(true)
    await page.getByRole('button', approve).click()
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()
    const tokens = await client.pollDeviceAuthorizationGrant(scene.application.configuration, device)
    expect(tokens.claims()?.sub).toBe(second.id)
  })

  it('is connected for whoever is signed in at the identity provider, who types no password again', async () => {
    await using seat = await takeSeat(browser)
    await using scene = await remembered(seat)
    const [{ page, context }, { device, second }] = [seat, scene]
    await context.clearCookies({ name: 'ory_kratos_session' })
    await page.goto(`${inject('stack').identity_public_url}/self-service/login/browser`)
    await signIn(page, second)
    await page.getByText('Signed in as').waitFor()
    await page.goto(device.verification_uri)
    await sendCode(page, device.user_code)
    await sendCode(page, device.user_code)
    await onBridge(page, 'consent')
    await page.getByRole('button', approve).click()
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()
    const tokens = await client.pollDeviceAuthorizationGrant(scene.application.configuration, device)
    expect(tokens.claims()?.sub).toBe(second.id)
  })
})

it('says on a page of its own that a device was denied', async () => {
  await using application = await startApplication()
  await using seat = await takeSeat(browser, { javaScriptEnabled: false })
  const { page } = seat
  const device = await client.initiateDeviceAuthorization(application.configuration, { scope: 'openid' })
  await page.goto(device.verification_uri)
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('user_code')
  await sendCode(page, device.user_code)
  await signIn(page, await makePerson())
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('heading', { name: 'The device was not connected' }).waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
})

it('keeps whoever stays signed in', async () => {
  await using application = await startApplication({ metadata: { skip_consent: true } })
  await using seat = await takeSeat(browser)
  const [person, begun, { page }] = [await makePerson(), await application.begin(), seat]
  await page.goto(begun.address)
  await signIn(page, person)
  await page.waitForURL(`${application.url}/callback**`)
  const { id_token = '' } = await begun.finish(page.url())
  await page.goto(application.signOutUrl(id_token))
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await page.getByRole('heading', { name: 'You are still signed in' }).waitFor()
  const again = await application.begin()
  await page.goto(again.address)
  await page.waitForURL(`${application.url}/callback**`)
  expect((await again.finish(page.url())).claims()?.sub).toBe(person.id)
})

it('explains an address that is cut short or an error of the server, without a link to anywhere', async () => {
  await using seat = await takeSeat(browser, PHONE)
  const { page } = seat
  const bridge = `${inject('stack').base_url}/api/oauthsrv/bridge`
  for (const [path, heading] of [
    ['login?login_challenge=garbage', 'This page does not exist any more'],
    ['consent?consent_challenge=garbage', 'This page does not exist any more'],
    ['logout?logout_challenge=garbage', 'This page does not exist any more'],
    ['login', 'Something is missing here'],
    ['error?error=invalid_scope&error_description=%3Cb%3Ehttps://evil.example', 'request was refused'],
  ] as const) {
    await page.goto(`${bridge}/${path}`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(heading)
    expect(await page.getByRole('link').count()).toBe(0)
    expect(await fitsItsWidth(page)).toBe(true)
  }
})
