// A webhook as it is typed, and what becomes of it in a request.

import type { Schema } from '../../api/schema.ts'

type Webhook = Schema<'Webhook'>

export interface HeaderRow {
  /** For the list on the page alone. */
  key: number
  name: string
  /** Of a stored header, empty until somebody types another. */
  value: string
  /** It has a value that nobody sees, and keeps it. */
  isStored: boolean
}

export interface WebhookDraft {
  name: string
  schema: string
  table: string
  events: Webhook['events']
  url: string
  headers: HeaderRow[]
}

export const EVENTS: Webhook['events'] = ['INSERT', 'UPDATE', 'DELETE']

/** What the API shows in place of a stored value; sent back, it keeps that value. */
const MASKED = '[secret]'

export const EMPTY_DRAFT: WebhookDraft = {
  name: '',
  schema: 'public',
  table: '',
  events: EVENTS,
  url: '',
  headers: [],
}

export function draftOf(webhook: Webhook): WebhookDraft {
  const headers = Object.keys(webhook.headers).map((name, key) => ({ key, name, value: '', isStored: true }))
  const { name, table_schema: schema, table_name: table, events, url } = webhook
  return { name, schema, table, events, url, headers }
}

export function bodyOf({ name, schema, table, events, url, headers }: WebhookDraft) {
  return {
    name,
    table_schema: schema,
    table_name: table,
    events,
    url,
    headers: Object.fromEntries(
      headers
        .filter(row => row.name !== '' || row.value !== '')
        .map(({ name, value, isStored }) => [name, isStored && value === '' ? MASKED : value]),
    ),
  }
}

/** What differs: naming the table again would look for it anew, and fail where it is gone. */
export function patchOf(webhook: Webhook, draft: WebhookDraft): Schema<'WebhookPatch'> {
  const before: Record<string, unknown> = bodyOf(draftOf(webhook))
  const changed = Object.entries(bodyOf(draft)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
  )
  return Object.fromEntries(changed)
}

/** What is wrong with a URL, before it is sent; what else may be wrong the server says. */
export function urlProblem(text: string): string | undefined {
  if (text === '') return undefined
  if (!URL.canParse(text)) return 'Must be a URL such as https://example.com/hook'
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'It must begin with https:// or http://'
  if (username !== '' || password !== '')
    return 'It must not hold a user name or password: send them in a header'
  return undefined
}

/** An object has each name once: of two rows with one name, the first would be lost without a word. */
export function headersProblem(rows: readonly HeaderRow[]): string | undefined {
  const names = rows.map(({ name }) => name.trim().toLowerCase()).filter(Boolean)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  return twice === undefined ? undefined : `The header ${twice} appears twice`
}

/** 256 bits, as Standard Webhooks has them. */
export function generateSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
}
