// What holds for every page: everybody can use it, in light and dark, and it fits a phone.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { expect, it } from 'vitest'
import { fitsItsWidth } from '../people.ts'
import { goTo, lookIn, pagesOf } from './pages.ts'
import { PHONE, visit } from './visitor.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

it('has no serious or critical violation that axe finds, in light and dark', async () => {
  await using seat = await visit('/', { reducedMotion: 'reduce' })
  const { page } = seat
  const found: string[] = []
  await page.evaluate(AXE)
  for (const path of await pagesOf(page)) {
    await goTo(page, path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await lookIn(page, colorScheme)
      const { violations }: AxeResults = await page.evaluate(
        'axe.run(document, { resultTypes: ["violations"] })',
      )
      for (const { id, impact, nodes } of violations) {
        if (impact === 'serious' || impact === 'critical')
          found.push(`${path} ${colorScheme} ${id}: ${nodes[0]?.html} (${nodes[0]?.failureSummary})`)
      }
    }
  }
  expect(found).toEqual([])
  expect(seat.complaints).toEqual([])
})

it('fits a phone: nothing lies beyond the side of the screen', async () => {
  await using seat = await visit('/')
  const paths = await pagesOf(seat.page)
  await seat.page.setViewportSize(PHONE)
  const tooWide: string[] = []
  for (const path of paths) {
    await goTo(seat.page, path)
    if (!(await fitsItsWidth(seat.page))) tooWide.push(path)
  }
  expect(tooWide).toEqual([])
})
