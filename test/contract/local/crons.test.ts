// The local stack fires the Worker's crons itself, at an address of `wrangler dev`. When they are due is in test/unit.

import { request } from 'node:http'
import { afterAll, expect, inject, it } from 'vitest'
import { cronUrl, fireCron } from '../../../local/crons.ts'
import { asOwner } from '../data-api/caller.ts'
import { makeTable, makeWebhook, tidyUp, webhooks } from '../webhooks/caller.ts'

const { base_url } = inject('stack')
const EVERY_MINUTE = '* * * * *'

afterAll(tidyUp)

it('a cron runs in the Worker when it is fired: a table that was dropped and made again is watched again', async () => {
  const table = await makeTable()
  const id = await makeWebhook({ table_name: table, url: 'http://127.0.0.1:9/' })
  await asOwner(`drop table ${table}`)
  await asOwner(`create table ${table} (id int)`)
  expect(await fireCron(base_url, EVERY_MINUTE)).toBe('ok')
  expect((await webhooks('GET', `/${id}`)).json).toMatchObject({ table_watched: true })
})

// A page in the developer's browser could reach the address, also under a name of its own that leads to this machine.
it.each<[string, Record<string, string>]>([
  ['a page of another origin', { origin: 'https://evil.example' }],
  ['a name that leads here', { host: 'evil.example' }],
])('a cron cannot be fired by %s', async (_, headers) => {
  expect(await statusOf(cronUrl(base_url, EVERY_MINUTE), headers)).toBe(403)
})

/** `fetch` would not send a host of our choice. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers }, answer => resolve(answer.resume().statusCode))
    asked.once('error', reject).end()
  })
}
