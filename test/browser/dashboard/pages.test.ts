// What holds for every page: everybody can use it, in light and dark, and it fits a phone.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, expect, inject, it } from 'vitest'
import { makeWebhook, tidyUp, webhooks } from '../../contract/webhooks-caller.ts'
import { registerClient } from '../../support/applications.ts'
import { startReceiver } from '../../support/receiver.ts'
import { fitsItsWidth } from '../people.ts'
import { goTo, lookIn, pagesOf, untilQuiet } from './pages.ts'
import { DESKTOP, PHONE, visit } from './visitor.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The serious and the critical ones, each with its place. */
async function violationsOf(page: Page, options: RunOptions): Promise<string[]> {
  const text = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const { violations }: AxeResults = await page.evaluate(`axe.run(document, ${text})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} (${nodes[0]?.failureSummary})`)
}

afterAll(tidyUp)

/** What has a page of its own, where a fresh stack has none yet. */
async function makeRecords(): Promise<void> {
  await registerClient()
  await using receiver = await startReceiver()
  const id = await makeWebhook({ url: receiver.url, table: 'todos' })
  await webhooks('POST', `/${id}/test`)
}

it('is usable by everybody, in light and dark, and fits a phone', async () => {
  await makeRecords()
  await using seat = await visit('/', { reducedMotion: 'reduce' })
  const { page } = seat
  const found: string[] = []
  const note = (where: string, problems: string[]) =>
    found.push(...problems.map(problem => `${where}: ${problem}`))
  await page.evaluate(AXE)
  for (const path of await pagesOf(page, inject('stack'))) {
    await goTo(page, path)
    await lookIn(page, 'light')
    note(`${path} light`, await violationsOf(page, {}))
    // Of all rules contrast alone depends on the colours.
    await lookIn(page, 'dark')
    note(`${path} dark`, await violationsOf(page, { runOnly: ['color-contrast'] }))
    await page.setViewportSize(PHONE)
    await page.evaluate(untilQuiet)
    if (!(await fitsItsWidth(page))) note(`${path} phone`, ['something lies beyond the side of the screen'])
    await page.setViewportSize(DESKTOP)
  }
  expect(found).toEqual([])
  expect(seat.complaints).toEqual([])
})
