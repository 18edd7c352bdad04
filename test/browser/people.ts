// Somebody in front of Chromium: signs in at the identity provider, and reads the bridge's pages as a person does, by
// their headings, labels and buttons.

import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'
import type { Person } from '../support/applications.ts'

export const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }

export interface Seat extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained of: a blocked style, a refused form, a script that failed. */
  readonly complaints: string[]
}

/** A fresh browser with no cookies. Its address is its own, so that no test uses up another's attempts. */
export async function takeSeat(browser: Browser, options: BrowserContextOptions = {}): Promise<Seat> {
  const octet = () => Math.floor(Math.random() * 250)
  const address = `10.${octet()}.${octet()}.${octet()}`
  const context = await browser.newContext({ ...options, extraHTTPHeaders: { 'cf-connecting-ip': address } })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** On the identity provider's page. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.waitForURL(url => url.origin === inject('stack').identity_public_url)
  await page.locator('input[name=identifier]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: /sign in/i }).click()
}

export const onBridge = (page: Page, path: string) =>
  page.waitForURL(url => url.href.startsWith(`${inject('stack').base_url}/api/oauthsrv/bridge/${path}`))

/** How long a page has, on a busy machine, to follow the screen's new width. */
const LAID_OUT_MS = 2_000

/** True once nothing of the page lies beyond the side of the screen; false where it stays so. */
export async function fitsItsWidth(page: Page): Promise<boolean> {
  const fits = () => document.documentElement.scrollWidth <= window.innerWidth
  return await page.waitForFunction(fits, undefined, { timeout: LAID_OUT_MS }).then(
    () => true,
    () => false,
  )
}
