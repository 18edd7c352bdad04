// How many resumable uploads a key, or a person beside one, may have open: each may hold a whole file for a day.

import { DomainError } from '../../../errors.ts'
import type { StorageDeps } from '../as-caller.ts'
import type { Claim } from '../writes/claims.ts'
import type { UploadWriter } from './upload-writer.ts'

const OPEN_MAX = 100

// Those of a signed token, which no key sends, count against the object that it is for.
const SQL = `
  update quoin.storage_claims c set opened_by = $2
  where c.id = $1::uuid and (
    select count(*) from (
      select from quoin.storage_claims o
      where o.id <> c.id and ($2::text is not null and o.opened_by = $2
        or $2::text is null and o.opened_by is null and o.bucket_id = c.bucket_id and o.name = c.name)
      limit ${OPEN_MAX}
    ) open_ones
  ) < ${OPEN_MAX}
  returning id`

/** Counts the claim as one of all who show a key alone, or of one person. Throws `too_many_uploads`. */
export async function countUpload(
  { platform }: Pick<StorageDeps, 'platform'>,
  { id }: Claim,
  { identity, apiKeyId }: Pick<UploadWriter, 'identity' | 'apiKeyId'>,
): Promise<void> {
  const rows = await platform.texts(SQL, [id, apiKeyId === undefined ? null : identity])
  if (rows.length > 0) return
  throw new DomainError('too_many_uploads', `There are ${OPEN_MAX} resumable uploads open already.`, {
    detail: apiKeyId === undefined ? 'They are to the same object.' : 'They are those of this caller.',
    hint: 'Finish or cancel some: DELETE their addresses, or wait until they expire after a day.',
    retryAfterSeconds: 60,
  })
}
