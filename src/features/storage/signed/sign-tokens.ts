// Makes the tokens of signed addresses, for those who may read or write what they are for.

import type { StorageDeps } from '../as-caller.ts'
import { checkObjectName, type ObjectPlace } from '../names.ts'
import { findFile } from '../objects/find-object.ts'
import type { StorageCall } from '../storage-call.ts'
import { dropClaim, openClaim } from '../writes/claims.ts'
import { probeWrite } from '../writes/write-row.ts'
import { findNames } from './find-names.ts'
import type { DownloadGrant, SignedUrls, UploadGrant } from './signed-urls.ts'

type Deps = StorageDeps & { readonly signedUrls: SignedUrls; readonly now: () => Date }

/** Who asks, how long the address is to last, and what it allows. */
type DownloadOptions = Omit<DownloadGrant, 'place'>
type UploadOptions = Omit<UploadGrant, 'place'>

/** A token to read the file. Throws `object_not_found`, and what `signDownload` throws. */
export async function signDownload(
  deps: Deps,
  call: StorageCall,
  place: ObjectPlace,
  options: DownloadOptions,
): Promise<string> {
  await findFile(deps, call, place)
  return await deps.signedUrls.signDownload({ place, ...options }, deps.now())
}

/** A token for each name that the caller may read, null for the others, in their order. */
export async function signDownloads(
  deps: Deps,
  call: StorageCall,
  bucketId: string,
  names: readonly string[],
  options: DownloadOptions,
): Promise<(string | null)[]> {
  const readable = await findNames(deps, call, bucketId, names)
  return await Promise.all(
    names.map(name =>
      readable.has(name)
        ? deps.signedUrls.signDownload({ place: { bucketId, name }, ...options }, deps.now())
        : null,
    ),
  )
}

/**
 * A token to write the file, once its policies would let the caller. It lasts past a change of theirs. Throws what an
 * upload throws.
 */
export async function signUpload(
  deps: Deps,
  call: StorageCall,
  place: ObjectPlace,
  options: UploadOptions,
): Promise<string> {
  checkObjectName(place.name)
  const declared = { size: undefined, contentType: 'application/octet-stream', cacheControl: 'no-cache' }
  const { claim } = await openClaim(deps, place, declared)
  const mode = options.upsert ? 'replace' : 'create'
  await probeWrite(deps, call, claim, { mode, userMetadata: null, ownerId: options.owner })
  await dropClaim(deps, claim)
  return await deps.signedUrls.signUpload({ place, ...options }, deps.now())
}
