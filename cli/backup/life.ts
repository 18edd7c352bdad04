// What a database knows of its own life and of its files. Their bytes are in R2 under bucket_id/version and bear the
// id of the life that wrote them; a backup has the rows that name them, and these figures.

import type { Client } from 'pg'
import type { Manifest } from './manifest.ts'
import { oneRow } from './session.ts'

const PRESENT_SQL = `
  select to_regclass('quoin.database_epoch') is not null as has_epoch,
    to_regclass('quoin.storage_claims') is not null as has_storage`

/** The owner's SQL can put anything into metadata: what is no size counts as nothing. */
const STORAGE_SQL = `
  select (select count(*) from storage.buckets)::float8 as buckets, count(*)::float8 as objects,
    coalesce(sum(case when jsonb_typeof(metadata -> 'size') = 'number'
      then trunc((metadata ->> 'size')::numeric) end), 0)::float8 as bytes,
    (count(*) filter (where version is null))::float8 as objects_without_version
  from storage.objects`

/** Reads only, and in the transaction that the client is in: figures and rows of a backup are of one moment. */
export async function readLife(client: Client): Promise<Pick<Manifest, 'epoch' | 'storage'>> {
  const { has_epoch, has_storage } = await oneRow<{ has_epoch: boolean; has_storage: boolean }>(
    client,
    PRESENT_SQL,
  )
  const epoch = has_epoch
    ? (await oneRow<{ epoch: string }>(client, 'select epoch from quoin.database_epoch')).epoch
    : null
  const storage = has_storage ? await oneRow<NonNullable<Manifest['storage']>>(client, STORAGE_SQL) : null
  return { epoch, storage }
}
