// The reference at /docs in real Chromium: it works under its policy, is found through, and can be read by everybody.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { connectBrowser } from '../support/shared-browser.ts'
import { fitsItsWidth, PHONE, takeSeat } from './people.ts'

const { base_url, service_role_key } = inject('stack')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

async function openReference(page: Page, at = ''): Promise<void> {
  await page.goto(`${base_url}/docs#${at}`)
  await page.getByRole('heading', { level: 1, name: 'Quoin' }).waitFor({ state: 'attached' })
}

/** Goes to what is found first. */
async function findByKeyboard(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(words)
  await page
    .getByRole('option', { name: new RegExp(words, 'i') })
    .first()
    .waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

it('finds an endpoint by keyboard, and asks nobody but us', async () => {
  await using seat = await takeSeat(browser)
  const { page } = seat
  const hosts = new Set<string>()
  page.on('request', request => hosts.add(new URL(request.url()).origin))
  await openReference(page, '')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('/v1/keys rotate')
  await page
    .getByRole('option', { name: /\/v1\/keys\/\{id\}\/rotate/ })
    .first()
    .waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/v1/keys/*/rotate')
  await page.getByRole('heading', { name: 'Replace an API key' }).first().waitFor()
  expect([...hosts]).toEqual([base_url])
  expect(seat.complaints).toEqual([])
})

it('tries an endpoint with the key that is typed in', async () => {
  await using seat = await takeSeat(browser)
  const { page } = seat
  await openReference(page)
  await page.locator('input.scalar-password-input').first().fill(service_role_key)
  await findByKeyboard(page, 'modules of this deployment')
  await page.getByRole('button', { name: /Test Request.*\/v1\/modules/ }).click()
  const [answer] = await Promise.all([
    page.waitForResponse(`${base_url}/v1/modules`),
    page.getByRole('button', { name: 'Send get request' }).click(),
  ])
  expect(answer.status()).toBe(200)
  expect(seat.complaints).toEqual([])
})

it.each([
  ['in the light', {}],
  ['in the dark', { colorScheme: 'dark' }],
  ['on a phone', PHONE],
] as const)('can be read %s', async (_, options) => {
  await using seat = await takeSeat(browser, { ...options, bypassCSP: true })
  const { page } = seat
  await openReference(page, 'tag/sql')
  await page.getByRole('heading', { name: 'Run one SQL statement' }).first().waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  await page.addScriptTag({ content: AXE })
  const { violations, passes } = await page.evaluate<AxeResults>(
    "axe.run(document, { runOnly: ['color-contrast'] })",
  )
  expect(passes.flatMap(({ nodes }) => nodes).length).toBeGreaterThan(50)
  expect(
    violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => ({ html, failureSummary }))),
  ).toEqual([])
})

it('says without JavaScript where the document is', async () => {
  await using seat = await takeSeat(browser, { javaScriptEnabled: false })
  await seat.page.goto(`${base_url}/docs`)
  await seat.page.getByRole('link', { name: '/openapi.json' }).click()
  await seat.page.waitForURL('**/openapi.json')
})
