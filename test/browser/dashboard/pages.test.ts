// What holds for every page: everybody can use it, in light and dark, and it fits a phone.

import { afterAll, expect, inject, it } from 'vitest'
import { makeWebhook, tidyUp, webhooks } from '../../contract/webhooks/caller.ts'
import { makePerson, PersonsBrowser, registerClient, tokensFor } from '../../support/applications.ts'
import { startReceiver } from '../../support/receiver.ts'
import { fitsItsWidth } from '../people.ts'
import { AXE, violationsOf } from './axe.ts'
import { goTo, lookIn, pagesOf, untilQuiet } from './pages.ts'
import type { OwnRecords } from './record-pages.ts'
import { DESKTOP, PHONE, visit } from './visitor.ts'

/** All is there already: it is only drawn anew. */
const DRAWN_MS = 50

afterAll(tidyUp)

/** Records whose pages are visited; nobody else changes them. */
async function makeRecords(): Promise<OwnRecords> {
  const person = await makePerson()
  const client = await registerClient()
  await tokensFor({ client, browser: new PersonsBrowser(person), scope: 'openid', decision: {} })
  await using receiver = await startReceiver()
  const webhook = await makeWebhook({ url: receiver.url, table_name: 'todos' })
  await webhooks('POST', `/${webhook}/test`)
  const bucket = `pages-${person.id}`
  const file = 'ada/notes.txt'
  await asService('POST', '/buckets', JSON.stringify({ name: bucket }), 'application/json')
  await asService('PUT', `/objects/${bucket}/${file}`, 'Dear Ada', 'text/plain')
  return { person: person.id, client: client.client_id, webhook, bucket, file }
}

async function asService(method: string, path: string, body: string, type: string): Promise<void> {
  const { base_url, service_role_key } = inject('stack')
  const headers = { apikey: service_role_key, 'content-type': type }
  const answer = await fetch(`${base_url}/v1/storage${path}`, { method, headers, body })
  expect(answer.ok, await answer.text()).toBe(true)
}

/** Some fifty pages, each in two colours and two widths: 80 s alone, more beside other browsers. */
const EVERY_PAGE_MS = 400_000

it(
  'is usable by everybody, in light and dark, and fits a phone',
  async () => {
    const own = await makeRecords()
    await using seat = await visit('/', { reducedMotion: 'reduce' })
    const { page } = seat
    const found: string[] = []
    const note = (where: string, problems: string[]) =>
      found.push(...problems.map(problem => `${where}: ${problem}`))
    await page.evaluate(AXE)
    for (const path of await pagesOf(page, inject('stack'), own)) {
      await goTo(page, path)
      await lookIn(page, 'light')
      note(`${path} light`, await violationsOf(page, {}))
      // Of all rules contrast alone depends on the colours.
      await lookIn(page, 'dark')
      note(`${path} dark`, await violationsOf(page, { runOnly: ['color-contrast'] }))
      await page.setViewportSize(PHONE)
      await page.evaluate(untilQuiet, DRAWN_MS)
      if (!(await fitsItsWidth(page))) note(`${path} phone`, ['something lies beyond the side of the screen'])
      await page.setViewportSize(DESKTOP)
    }
    expect(found).toEqual([])
    expect(seat.complaints).toEqual([])
  },
  EVERY_PAGE_MS,
)
