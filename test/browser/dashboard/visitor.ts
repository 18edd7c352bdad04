// Somebody in front of the dashboard, signed in or not. Whatever the browser complains of (a policy that is broken, a
// script that fails) fails the test.

import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'
import type { StackFacts } from '../../../cli/support/dev-file.ts'
import { waitUntil } from '../../../cli/support/wait.ts'
import { connectBrowser } from '../../support/shared-browser.ts'

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** Who is in front of it: the local stack's administrator, its user (a member), or nobody who has signed in. */
export type Who = 'admin' | 'user' | 'nobody'

/** Gives the context the session that the stack has made for this person. */
export async function takeSession(context: BrowserContext, facts: StackFacts, who: Who): Promise<void> {
  const cookie = { admin: facts.session_cookie_admin, user: facts.session_cookie_user, nobody: null }[who]
  if (cookie === null) return
  const at = cookie.indexOf('=')
  const [name, value] = [cookie.slice(0, at), cookie.slice(at + 1)]
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/' }])
}

export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser has complained of; a test expects it to be empty at its end. */
  readonly complaints: string[]
}

/**
 * Opens `path` of the stack's dashboard, or of the one at `dashboardUrl`. Answers that are errors on purpose are no
 * complaint.
 */
export async function visit(
  path: string,
  {
    who = 'admin',
    dashboardUrl = inject('stack').dashboard_url,
    ...options
  }: BrowserContextOptions & { who?: Who; dashboardUrl?: string } = {},
): Promise<Visit> {
  const facts = inject('stack')
  const browser = await connectBrowser()
  const context = await browser.newContext({
    viewport: DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  await takeSession(context, facts, who)
  await context.addInitScript(noteCopies)
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const complaints = listenForComplaints(page)
  await page.goto(dashboardUrl + path)
  const leave = async () => {
    // A list may be read again while the test ends.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await browser.close()
  }
  return { page, context, complaints, [Symbol.asyncDispose]: leave }
}

/** Runs in the page. All tests share the machine's one clipboard: so each page notes what it has put there itself. */
function noteCopies(): void {
  const { clipboard } = navigator
  if (clipboard === undefined) return
  const write = clipboard.writeText.bind(clipboard)
  clipboard.writeText = async text => {
    await write(text)
    Object.assign(window, { copiedByTest: text })
  }
}

/** What the page has copied since the last time; waits for it. */
export async function lastCopied(page: Page): Promise<string> {
  const take = () =>
    page.evaluate(() => {
      const noted = window as { copiedByTest?: string | undefined }
      const text = noted.copiedByTest
      noted.copiedByTest = undefined
      return text
    })
  return await waitUntil({ what: 'something is copied', deadlineMs: 10_000 }, take)
}

/** Chromium writes every 4xx answer to the console; those the tests look at themselves. */
const REFUSED = /Failed to load resource: the server responded with a status of 4/

export function listenForComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !REFUSED.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  return complaints
}

/** Opens the palette by its keys and asks it; keys that come before it has the focus go elsewhere. */
export async function searchFor(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('A view, a name, an id, or a token').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(words)
}
