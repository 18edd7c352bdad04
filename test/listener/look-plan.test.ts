/** The plans of a look: made when the outbox is empty, as it often is, they are used when it is full. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOOK, SESSION_SETTINGS } from '../../listener/outbox.ts'
import { startPostgres, type TestPostgres } from '../gateway/support.ts'
import { makeWorld } from './support.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(async () => {
  await postgres.remove()
})

it('finds each chunk by its id, and known ones by a hash', async () => {
  const { client } = await makeWorld(postgres)
  for (const [name, value] of Object.entries(SESSION_SETTINGS))
    await client.query('select set_config($1, $2, false)', [name, value])
  await client.query('vacuum analyze quoin.row_events')
  await client.query(`prepare look as ${LOOK}`)
  const { rows } = await client.query("explain execute look(0, '{}', 1000, 1000000, 65536, false)")
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('Index Cond: (id = found.id)')
  expect(plan).toContain('hashed SubPlan')
  expect(plan).not.toContain('Join Filter')
  expect(plan).not.toContain('Seq Scan on row_events')
})
