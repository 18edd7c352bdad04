// `npm run screenshots [-- words of addresses]`: every page of the running stack's dashboard, at desktop and phone
// width, light and dark, into dist/screenshots. Start the stack first (`npm start`).

import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readDevFile } from '../cli/support/dev-file.ts'
import { goTo, lookIn, pagesOf } from '../test/browser/dashboard/pages.ts'
import { DESKTOP, PHONE, takeSession } from '../test/browser/dashboard/visitor.ts'
import { startBrowser } from '../test/support/browser.ts'

const { values, positionals: words } = parseArgs({
  options: {
    'data-dir': { type: 'string', default: '.quoin' },
    out: { type: 'string', default: 'dist/screenshots' },
  },
  allowPositionals: true,
})
const facts = readDevFile(values['data-dir'])
await mkdir(values.out, { recursive: true })

const browser = await startBrowser()
const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
await takeSession(context, facts, 'admin')
const page = await context.newPage()
await page.goto(facts.dashboard_url)
const paths = (await pagesOf(page, facts)).filter(
  path => words.length === 0 || words.some(word => path.includes(word)),
)
for (const [i, path] of paths.entries()) {
  const name = path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'overview'
  for (const [width, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport)
    await goTo(page, path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await lookIn(page, colorScheme)
      await page.screenshot({ path: `${values.out}/${name}-${width}-${colorScheme}.png` })
    }
  }
  process.stdout.write(`${i + 1}/${paths.length}  ${path}\n`)
}
await browser.close()
process.stdout.write(`Look at them, one by one: ${values.out}\n`)
