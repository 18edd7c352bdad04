// The policies of files, as the dashboard says them: those on buckets and on objects, and what anon reaches by them.

import * as z from 'zod'
import { type CatalogReadDeps, readCatalog } from '../catalog/read-catalog.ts'
import { STRUCTURE_EXAMPLE, TableStructure } from '../catalog/structure.ts'
import { parseStructure, TABLE_ADDITIONS } from '../catalog/structure-sql.ts'
import { relationsStatement } from '../catalog/tables-sql.ts'

const Guarded = TableStructure.pick({ row_level_security: true, access: true, policies: true })

const { row_level_security, access, policies } = STRUCTURE_EXAMPLE
const GUARDED_EXAMPLE = { row_level_security, access, policies }

export const StoragePolicies = z
  .object({ buckets: Guarded, objects: Guarded })
  .meta({ id: 'StoragePolicies', examples: [{ buckets: GUARDED_EXAMPLE, objects: GUARDED_EXAMPLE }] })
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
  return { row_level_security: table.row_level_security, access: table.access, policies: table.policies }
}
