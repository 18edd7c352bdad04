import { expect, test } from 'vitest'
import type { DataSession } from '../../../src/db/database.ts'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { CatalogCache } from '../../../src/features/data-api/catalog/catalog.ts'
import type { DataApiDeps, DataContext } from '../../../src/features/data-api/run/data-session.ts'
import { withCatalog } from '../../../src/features/data-api/run/with-catalog.ts'

const TEXTS = [JSON.stringify({ version: '1', relations: [], functions: [] }), '[]']

test('a schema that never stands still is told in words, as something to try again', async () => {
  const texts = TEXTS.values()
  const data = { batch: async () => [{ rows: [[texts.next().value]] }] }
  const deps = { data, catalog: new CatalogCache(['public'], () => new Date(0)) } as unknown as DataApiDeps
  const call = { name: 't', method: 'GET', role: 'anon', claims: null, headers: new Headers() }
  const session = { role: 'anon' } as DataSession
  const context = { call, schema: 'public', session, query: undefined } as unknown as DataContext
  const outdated = () => {
    const message = 'invalid input syntax for type boolean: "quoin:outdated:1 2"'
    return Promise.reject(new PostgresError({ code: '22P02', message }))
  }
  await expect(withCatalog(deps, context, 'functions', outdated)).rejects.toMatchObject({
    code: 'database_unavailable',
    postgrest: { code: 'PGRST002' },
  })
})
