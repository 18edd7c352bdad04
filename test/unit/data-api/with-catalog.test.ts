// Which failures are tried once more with a newer catalog.

import { expect, test } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { CatalogCache } from '../../../src/features/data-api/catalog/catalog.ts'
import { CatalogRefusal } from '../../../src/features/data-api/catalog/catalog-refusal.ts'
import type { DataApiDeps, DataContext } from '../../../src/features/data-api/run/data-session.ts'
import { withCatalog } from '../../../src/features/data-api/run/with-catalog.ts'

/** How often the request was tried, and the database asked, until it failed with this. */
async function triesOf(failure: Error): Promise<{ attempts: number; readings: number }> {
  let attempts = 0
  let readings = 0
  const texts = [JSON.stringify({ version: '1', relations: [], functions: [] }), '[]', '[]']
  const batch = async () => [{ rows: [[texts[readings++]]] }]
  const deps = { data: { batch }, catalog: new CatalogCache(['public'], () => new Date(0)) }
  const call = { name: 't', method: 'GET', role: 'anon', claims: null, headers: new Headers() }
  const context = { call, schema: 'public', session: { role: 'anon' }, query: undefined }
  const attempt = () => {
    attempts++
    return Promise.reject(failure)
  }
  const tried = withCatalog(
    deps as unknown as DataApiDeps,
    context as unknown as DataContext,
    'relation_now',
    attempt,
  )
  await expect(tried).rejects.toBe(failure)
  return { attempts, readings }
}

test('a refusal that depends on the request alone asks for no newer catalog', async () => {
  expect(await triesOf(new DomainError('invalid_select', 'too much'))).toEqual({ attempts: 1, readings: 1 })
  const { readings } = await triesOf(new CatalogRefusal('invalid_select', 'no such column'))
  expect(readings).toBe(2)
})
