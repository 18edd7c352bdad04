// Webhooks over HTTP with a user's session, on tables of their own, all of it taken away again by `tidyUp`.

import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { errorText, waitUntil } from '../../../cli/support/wait.ts'
import { asOwner, freshPrefix } from '../data-api/caller.ts'
import { type Answer, call } from '../oauth/caller.ts'

const { base_url, service_role_key } = inject('stack')

/** `/api/webhooks` and below. */
export function webhooks(method: string, path = '', body?: unknown): Promise<Answer> {
  return call(method, `/api/webhooks${path}`, body)
}

/** `/v1/webhooks` and below, with the stack's own key. */
export async function webhookViews(path = ''): Promise<{ status: number; text: string; json: View }> {
  const response = await fetch(`${base_url}/v1/webhooks${path}`, { headers: { apikey: service_role_key } })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) as View }
}
// biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
type View = any

const made: string[] = []
const statements: string[] = []

/** A new table `(id bigint primary key, note text)` in `public`, or whatever the SQL makes of `%s`. */
export async function makeTable(sql = 'create table %s (id bigint primary key, note text)'): Promise<string> {
  const table = `${freshPrefix()}_hooks`
  await asOwner(sql.replaceAll('%s', table))
  statements.push(`drop table if exists ${table}`)
  return table
}

/** Runs at the end, in the opposite order. */
export function atTheEnd(sql: string): void {
  statements.push(sql)
}

/** A webhook that is there; throws with the answer when it could not be made. */
export async function makeWebhook(fields: Record<string, unknown>): Promise<string> {
  const { status, json, text } = await webhooks('POST', '', {
    name: `contract ${randomUUID()}`,
    events: ['INSERT', 'UPDATE', 'DELETE'],
    ...fields,
  })
  if (status !== 201) throw new Error(`no webhook was made: ${status} ${text}`)
  const id = String(json['id'])
  made.push(id)
  return id
}

/** The log's newest entries, as soon as there are `count` of them. */
export async function logOf(id: string, count: number): Promise<Record<string, unknown>[]> {
  return await waitUntil({ what: `${count} log entries`, deadlineMs: 30_000 }, async () => {
    const { json } = await webhooks('GET', `/${id}/logs`)
    const data = json['data'] as Record<string, unknown>[]
    return data.length >= count ? data : undefined
  })
}

/** The webhook's record, as soon as it is as wanted; a third attempt, 35 s after the first, is worth waiting for. */
export function webhookWhen(id: string, what: string, isSo: (webhook: Record<string, unknown>) => boolean) {
  return waitUntil({ what, deadlineMs: 60_000 }, async () => {
    const { json } = await webhooks('GET', `/${id}`)
    return isSo(json) ? json : undefined
  })
}

/** Deletes what the tests of the file have made. */
export async function tidyUp(): Promise<void> {
  for (const id of made.splice(0)) await webhooks('DELETE', `/${id}`)
  for (const sql of statements.splice(0).reverse()) {
    await asOwner(sql).catch(err => {
      throw new Error(`${sql}: ${errorText(err)}`)
    })
  }
}
