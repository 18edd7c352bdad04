// Whether everybody can use a page, as axe sees it.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { lookIn } from './pages.ts'

/** To be evaluated once in a page, before `violationsOf`. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The serious and the critical ones, each with its place. */
export async function violationsOf(page: Page, options: RunOptions): Promise<string[]> {
  const text = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const { violations }: AxeResults = await page.evaluate(`axe.run(document, ${text})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} (${nodes[0]?.failureSummary})`)
}

/** Of what is shown right now, in dark and light; leaves the page light. */
export async function contrastProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const found: string[] = []
  for (const look of ['dark', 'light'] as const) {
    await lookIn(page, look)
    found.push(...(await violationsOf(page, { runOnly: ['color-contrast'] })))
  }
  return found
}
