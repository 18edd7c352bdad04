// A change over /v1/db, a webhook and a receiver of it, and what the receiver finds in a request.

import { createHmac, randomBytes } from 'node:crypto'
import type { Received, Receiver } from '../../support/receiver.ts'
import type { DbAnswer, DbCaller } from '../data-api/caller.ts'
import { makeTable, makeWebhook } from './caller.ts'

export const SECRET = `whsec_${randomBytes(32).toString('base64')}`
/** More digits than a JavaScript number holds. */
export const BIG = '9007199254740993'

/** A table, a receiver of its changes and a webhook between them. */
export async function makeChain(receiver: Receiver, fields: Record<string, unknown> = {}) {
  const table = await makeTable()
  const id = await makeWebhook({ table_name: table, url: `${receiver.url}/hook`, secret: SECRET, ...fields })
  return { table, id }
}

/** Writes a row into a table of `makeTable`; `id` is written as it is. */
export function insertRow(db: DbCaller, table: string, id: string, note = 'one'): Promise<DbAnswer> {
  return db(table, { method: 'POST', body: `{"id":${id},"note":"${note}"}` })
}

export const headerOf = (request: Received, name: string) => String(request.headers[name])
export const hmacOf = (secret: string, body: string) =>
  createHmac('sha256', secret).update(body).digest('hex')

/** The three headers that the libraries read. */
export const standardHeaders = ({ headers }: Received) =>
  Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => [name, String(headers[name])]),
  )
