// Every page of the dashboard: what the sidebar leads to, and the records and dialogs behind it. For the tests that
// hold for all of them, and for the screenshots.

import type { Page } from 'playwright-core'
import type { StackFacts } from '../../../cli/support/dev-file.ts'
import { type OwnRecords, recordPagesOf } from './record-pages.ts'

/** So long has nothing been drawn where all is there: between two requests there may be an instant of nothing. */
const LOADED_MS = 200

/** Pages that no entry of the sidebar leads to; a view that has some adds them here. */
const MORE: readonly string[] = [
  '/oauth2/flow-tester?flow=device',
  '/oauth2/flow-tester/callback',
  '/projects?create=true',
  '/keys?create=true',
  '/storage?create=true',
  '/?tour=true',
  '/audit-log?from=2026-01-01T00:00:00Z',
  '/metrics?period=week',
  '/logs?from=2026-01-01T00:00:00Z',
  '/signed-in',
  '/oauth2/keys?rotate=true',
  '/oauth2/keys?add=true',
  '/oauth2/keys?set=',
  '/oauth2/clients?create=true',
  '/oauth2/clients?create=true&template=server',
  '/webhooks?create=true',
  '/database/migrations?detect=true',
  '/database/tables/public/todos?done=is.true&order=id.desc',
  '/database/tables/public/todos?row=%5B%221%22%5D',
  '/database/tables/public/todos?insert=true',
  '/database/tables/public/todos?tab=structure',
  '/database/tables/public/todos?live=true',
  '/realtime?tab=listen',
  '/realtime?tab=listen&topic=room',
  '/database/policies?tab=try',
  '/database/policies?tab=try&as=claims',
  '/database/schema?search=todos',
  '/database/sql?history=true',
  '/permissions?add=true',
  '/permissions?import=true',
  '/permissions?check=true&ask=Project:apollo%23view@alice',
  '/permissions/who-can-access?namespace=Project&object=apollo&subject=ann&by=view',
  '/permissions/roles?group=object',
  '/permissions/roles?subject=ann',
  '/permissions/roles?give=true',
]

/** The addresses of all pages, the sidebar's first. `page` must stand on one of this stack's dashboard. */
export async function pagesOf(page: Page, facts: StackFacts, own: OwnRecords = {}): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
  await links.first().waitFor()
  const hrefs = await links.evaluateAll(all => all.map(link => link.getAttribute('href') ?? ''))
  return [...hrefs, ...MORE, ...(await recordPagesOf(facts, own))]
}

/** Goes there as a link does, without loading the page anew, and waits until all is there. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(to => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await page.evaluate(untilQuiet, LOADED_MS)
}

/** In the page: resolves once nothing has been loading, and nothing has been drawn, for this many milliseconds. */
export function untilQuiet(quietMs: number): Promise<void> {
  return new Promise(resolve => {
    let timer = setTimeout(look, quietMs)
    const observer = new MutationObserver(again)
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    function again() {
      clearTimeout(timer)
      timer = setTimeout(look, quietMs)
    }
    function look() {
      if (document.querySelector('[aria-busy=true]') !== null) return again()
      observer.disconnect()
      resolve()
    }
  })
}

/** Light or dark, as the system would say it; resolves when every colour has changed. */
export async function lookIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mode=${colorScheme}]`).waitFor()
  await page.evaluate(async () => {
    await new Promise(requestAnimationFrame)
    await Promise.allSettled(document.getAnimations().map(animation => animation.finished))
  })
}
