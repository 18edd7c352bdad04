// The attack: a service_role key makes wide views over views. Each view's parsed query was looked through once for each
// column of the views above it: minutes for one reading of the catalog, which every call of a function needs.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOwner, freshPrefix, makeDbCaller } from '../contract/data-api/caller.ts'

const t = freshPrefix()
const COLUMNS = Array.from({ length: 300 }, (_, index) => `c${index} int`)
const TOP = Array.from({ length: 5 }, (_, index) => `create view ${t}_top${index} as select * from ${t}_low;`)

beforeAll(() =>
  asOwner(`
    create table ${t}_wide (id int primary key, ${COLUMNS});
    create view ${t}_low as select * from ${t}_wide;
    ${TOP.join('\n')}
  `),
)
afterAll(() => asOwner(`drop table ${t}_wide cascade`))

test('the catalog is read all the same, with the keys of the views', async () => {
  const db = await makeDbCaller()
  expect((await db(`${t}_none`, { method: 'OPTIONS' })).status).toBe(404)
  const headers = { prefer: 'return=headers-only' }
  const made = await db(`${t}_top4`, { method: 'POST', body: { id: 7 }, headers })
  expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/db/${t}_top4?id=eq.7`])
})
