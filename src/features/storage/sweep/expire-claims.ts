// Ends writes that nobody has finished within a day. The claim becomes a note, as if a row had lost the version: so its
// blob waits out the retention, and is spared if a row has it after all. Nothing is deleted here that a late write
// could still name.

import type { PlatformDatabase } from '../../../db/database.ts'
import { writeArrayLiteral } from '../../../lib/array-literal.ts'
import { concurrently } from '../../../lib/concurrently.ts'
import type { BlobStore } from '../blobs/blob-store.ts'

export interface ExpireClaimsDeps {
  readonly platform: Pick<PlatformDatabase, 'query' | 'texts'>
  readonly blobs: Pick<BlobStore, 'abortParts'>
}

/** A resumable upload may take a day, and an hour to be completed. */
const CLAIM_HOURS_MAX = 25
/** Claims of one run. */
const CLAIMS_MAX = 100
/** The runtime has six answers under way at a time. */
const ABORTS_AT_ONCE = 5

interface OldClaim {
  id: string
  key: string
  multipart_upload_id: string | null
}

const IS_OLD = `created_at < now() - interval '${CLAIM_HOURS_MAX} hours'`

const OLD_SQL = `
  select id, bucket_id || '/' || version as key, multipart_upload_id from quoin.storage_claims
  where ${IS_OLD} order by created_at limit ${CLAIMS_MAX}`

// One that a write is just using up is locked, and left to it. A note gets the time of now, whatever it said: a write
// that has read the claim already ends long before the retention does.
const EXPIRE_SQL = `
  with ended as (
    delete from quoin.storage_claims where id in (
      select id from quoin.storage_claims where id = any ($1::uuid[]) and ${IS_OLD} for update skip locked)
    returning bucket_id, version
  ), noted as (
    insert into quoin.lost_versions (bucket_id, version) select distinct bucket_id, version from ended
    on conflict (bucket_id, version) do update set lost_at = clock_timestamp()
  ), counted as (
    update quoin.storage_sweeps set pass = pass || jsonb_build_object('expired_uploads',
      coalesce((pass ->> 'expired_uploads')::bigint, 0) + (select count(*) from ended))
  )
  select count(*) from ended`

/** Answers how many claims it has ended. One whose parts cannot be dropped stays for the next run. */
export async function expireClaims({ platform, blobs }: ExpireClaimsDeps): Promise<number> {
  const old = await platform.query<OldClaim>(OLD_SQL, [], 'repeatable')
  const ended: string[] = []
  await concurrently(old, ABORTS_AT_ONCE, async claim => {
    if (await dropParts(blobs, claim)) ended.push(claim.id)
  })
  if (ended.length === 0) return 0
  const [row] = await platform.texts(EXPIRE_SQL, [writeArrayLiteral(ended)])
  return Number(row?.[0] ?? 0)
}

/** False: the store has them still. */
async function dropParts(
  blobs: ExpireClaimsDeps['blobs'],
  { key, multipart_upload_id: uploadId }: OldClaim,
): Promise<boolean> {
  if (uploadId === null) return true
  return await blobs.abortParts(key, uploadId).then(
    () => true,
    () => false,
  )
}
