// Writes down the upload in parts that goes with a claim, so that the sweep aborts it when its object cannot.

import type { StorageDeps } from '../call.ts'
import type { Claim } from '../writes/claims.ts'

const SQL = 'update quoin.storage_claims set multipart_upload_id = $2 where id = $1::uuid returning id'

export async function noteParts(
  { platform }: Pick<StorageDeps, 'platform'>,
  { id }: Claim,
  multipartId: string,
): Promise<void> {
  await platform.texts(SQL, [id, multipartId], 'repeatable')
}
