// The policies of files, as the dashboard says them: those on buckets and on objects, and what anon reaches by them.

import * as z from 'zod'
import { type CatalogReadDeps, readCatalog } from '../catalog/read-catalog.ts'
import { TableStructure } from '../catalog/structure.ts'
import { parseStructure, TABLE_ADDITIONS } from '../catalog/structure-sql.ts'
import { relationsStatement } from '../catalog/tables-sql.ts'

const Guarded = TableStructure.pick({ row_level_security: true, access: true, policies: true })

export const StoragePolicies = z
  .object({ buckets: Guarded, objects: Guarded })
  .meta({ id: 'StoragePolicies' })
export type StoragePolicies = z.infer<typeof StoragePolicies>

/** Both tables as they are now. They are in no served schema, so the data API's catalog does not have them. */
export async function readStoragePolicies(deps: Pick<CatalogReadDeps, 'platform'>): Promise<StoragePolicies> {
  const [buckets, objects] = await Promise.all([readGuarded(deps, 'buckets'), readGuarded(deps, 'objects')])
  return { buckets, objects }
}

async function readGuarded(
  { platform }: Pick<CatalogReadDeps, 'platform'>,
  name: 'buckets' | 'objects',
): Promise<z.infer<typeof Guarded>> {
  const deps = { platform, config: { dbSchemas: ['storage'] } }
  const text = await readCatalog(deps, relationsStatement(['storage'], TABLE_ADDITIONS, name))
  const table = parseStructure(text)
  if (table === undefined) throw new Error(`storage.${name} is gone: a migration of Quoin makes it`)
  const { row_level_security, access, policies } = table
  return { row_level_security, access, policies }
}
