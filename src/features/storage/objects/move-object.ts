// Moves an object. Another name is a change of one row. Into another bucket its bytes are copied first, and the old
// ones live on as those of a deleted file do.

import type { Statement } from '../../../db/sql.ts'
import type { StatementResult } from '../../../db/sql-wire.ts'
import { DomainError } from '../../../errors.ts'
import { asCaller, probeAsCaller, type StorageDeps } from '../as-caller.ts'
import { checkObjectName, type ObjectPlace } from '../names.ts'
import type { FileRow } from '../object-row.ts'
import type { StorageCall } from '../storage-call.ts'
import { measureClaim, openClaim } from '../writes/claims.ts'
import { orDrop, orTakeBackForGood } from '../writes/undo.ts'
import { refuseWrite } from '../writes/write-row.ts'
import { checkCopy, copyBlob } from './copy-object.ts'
import { findOwnFile } from './find-object.ts'

interface Transfer {
  readonly from: ObjectPlace
  readonly to: ObjectPlace
}

/**
 * Moves the object and answers its row as it was. The caller must be allowed to read and update it. Throws
 * `object_not_found`, `object_exists` where the new name is taken, and what policies refuse.
 */
export async function moveObject(
  deps: StorageDeps,
  call: StorageCall,
  { from, to }: Transfer,
): Promise<FileRow> {
  checkObjectName(to.name)
  const row = await findOwnFile(deps, call, from)
  if (from.bucketId === to.bucketId) await rename(deps, call, row, to)
  else await moveAcross(deps, call, row, to)
  return row
}

async function moveAcross(
  deps: StorageDeps,
  call: StorageCall,
  row: FileRow,
  to: ObjectPlace,
): Promise<void> {
  const { size, mimetype: contentType, cacheControl } = row.metadata
  const opened = await openClaim(deps, to, { size, contentType, cacheControl })
  const { claim } = opened
  await orDrop(deps, claim, () =>
    expectMoved(call, probeAsCaller(deps, call, renameStatement(row, to), claim.id)),
  )
  await checkCopy(deps, opened, row.metadata)
  const eTag = await copyBlob(deps, row, opened)
  await orTakeBackForGood(deps, claim, async () => {
    await measureClaim(deps, claim, { ...row.metadata, ...eTag })
    await rename(deps, call, row, to, claim.id)
  })
}

/** The version is asked for too: what was replaced meanwhile is not the file that was copied. */
const RENAME = `update storage.objects o set bucket_id = $4, name = $5
  where o.bucket_id = $1 and o.name = $2 collate "C" and o.version = $3 returning o.id`

async function rename(
  deps: StorageDeps,
  call: StorageCall,
  row: FileRow,
  to: ObjectPlace,
  claimId = '',
): Promise<void> {
  const result = asCaller(deps, call, [renameStatement(row, to)], { claimId }).then(([changed]) => changed)
  await expectMoved(call, result)
}

function renameStatement(row: FileRow, to: ObjectPlace): Statement {
  return { sql: RENAME, params: [row.bucket_id, row.name, row.version, to.bucketId, to.name] }
}

/** Throws unless the statement, made or only tried, has found the row. */
async function expectMoved(call: StorageCall, result: Promise<StatementResult | undefined>): Promise<void> {
  const changed = await result.catch((err: unknown) => refuseWrite(err, call))
  if (changed?.rows.length !== 1) throw notMoved()
}

function notMoved(): DomainError {
  return new DomainError('object_not_found', 'Object not found', {
    detail:
      'It was replaced or deleted meanwhile, or the caller may read it and no UPDATE policy lets it be moved.',
    hint: 'Write an UPDATE policy on storage.objects whose USING takes in this row.',
  })
}
