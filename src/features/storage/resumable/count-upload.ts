// How many resumable uploads a key, or a person beside one, may have open: each may hold a whole file for a day.

import { DomainError } from '../../../errors.ts'
import type { StorageDeps } from '../as-caller.ts'
import type { Claim } from '../writes/claims.ts'
import type { UploadWriter } from './upload-writer.ts'

const OPEN_MAX = 100

const MARK_SQL = 'update quoin.storage_claims set opened_by = $2 where id = $1::uuid returning id'

// Those of a signed token, which no key sends, count against the object that it is for.
const OPEN_SQL = `
  select count(*) from (
    select from quoin.storage_claims o join quoin.storage_claims c on c.id = $1::uuid
    where o.opened_by = c.opened_by
      or c.opened_by is null and o.opened_by is null and o.bucket_id = c.bucket_id and o.name = c.name
    limit ${OPEN_MAX + 1}
  ) open_ones`

/** Counts the claim as one of all who show a key alone, or of one person. Throws `too_many_uploads`. */
export async function countUpload(
  { platform }: Pick<StorageDeps, 'platform'>,
  { id }: Claim,
  { identity, apiKeyId }: Pick<UploadWriter, 'identity' | 'apiKeyId'>,
): Promise<void> {
  // Marked before they are counted: of many that begin at once none is overlooked.
  if (apiKeyId !== undefined) await platform.texts(MARK_SQL, [id, identity], 'repeatable')
  const [open] = await platform.texts(OPEN_SQL, [id], 'repeatable')
  if (Number(open?.[0]) <= OPEN_MAX) return
  throw new DomainError('too_many_uploads', `There are ${OPEN_MAX} resumable uploads open already.`, {
    detail: apiKeyId === undefined ? 'They are to the same object.' : 'They are those of this caller.',
    hint: 'Finish or cancel some: DELETE their addresses, or wait until they expire after a day.',
    retryAfterSeconds: 60,
  })
}
