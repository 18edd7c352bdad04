// How many resumable uploads may be open for one caller: each may hold a whole file for a day.

import { DomainError } from '../../../errors.ts'
import type { StorageDeps } from '../as-caller.ts'
import type { Claim } from '../writes/claims.ts'
import type { UploadWriter } from './upload-writer.ts'

const OPEN_MAX = 100

const MARK_SQL = 'update quoin.storage_claims set opened_by = $2 where id = $1::uuid returning id'

const OPEN_SQL = `
  select count(*) from (
    select from quoin.storage_claims where opened_by = $1 limit ${OPEN_MAX + 1}
  ) open_ones`

/** Counts the claim as one of those whom `openedBy` names. Throws `too_many_uploads`. */
export async function countUpload(
  { platform }: Pick<StorageDeps, 'platform'>,
  { id }: Claim,
  { openedBy }: Pick<UploadWriter, 'openedBy'>,
): Promise<void> {
  // Marked before they are counted: of many that begin at once none is overlooked.
  await platform.texts(MARK_SQL, [id, openedBy], 'repeatable')
  const [open] = await platform.texts(OPEN_SQL, [openedBy], 'repeatable')
  if (Number(open?.[0]) <= OPEN_MAX) return
  throw new DomainError('too_many_uploads', `There are ${OPEN_MAX} resumable uploads open already.`, {
    detail: 'They are those of this person, of all who show this key alone, or of this token.',
    hint: 'Finish or cancel some: DELETE their addresses, or wait until they expire after a day.',
    retryAfterSeconds: 60,
  })
}
