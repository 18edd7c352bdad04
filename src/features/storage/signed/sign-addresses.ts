// Signed addresses of /v1: whole, and for as many names as one call may have.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import type { StorageDeps } from '../as-caller.ts'
import type { ObjectPlace } from '../names.ts'
import type { DownloadAddressesIn, SignedAddresses, UploadAddressesIn } from '../schemas.ts'
import type { StorageCall } from '../storage-call.ts'
import { signDownloads, signUpload } from './sign-tokens.ts'
import type { Maker, SignedUrls } from './signed-urls.ts'

type Deps = StorageDeps & {
  readonly signedUrls: SignedUrls
  readonly now: () => Date
  readonly config: StorageDeps['config'] & { readonly baseUrl: string }
}

/** An address to read each of the files; null for those that the caller may not read. */
export async function signDownloadAddresses(
  deps: Deps,
  call: StorageCall,
  maker: Maker,
  { bucket, names, expires_in: expiresInSeconds }: DownloadAddressesIn,
): Promise<SignedAddresses> {
  const tokens = await signDownloads(deps, call, bucket, names, { ...maker, expiresInSeconds })
  const data = names.map((name, i) => {
    const token = tokens[i]
    if (token == null) return { name, url: null, error: 'object_not_found' }
    return { name, url: addressOf(deps, 'object/sign', { bucketId: bucket, name }, token), error: null }
  })
  return { data }
}

/** An address to write each of the files, by PUT; null with the code of the refusal for the others. */
export async function signUploadAddresses(
  deps: Deps,
  call: StorageCall,
  maker: Maker,
  { bucket, names, expires_in: expiresInSeconds, replace: upsert }: UploadAddressesIn,
): Promise<SignedAddresses> {
  const data: SignedAddresses['data'] = []
  // One after the other: each asks the policies, and none shall take others' connections.
  for (const name of names) {
    const place = { bucketId: bucket, name }
    try {
      const token = await signUpload(deps, call, place, { ...maker, expiresInSeconds, upsert })
      data.push({ name, url: addressOf(deps, 'object/upload/sign', place, token), error: null })
    } catch (err) {
      data.push({ name, url: null, error: refusalOf(err) })
    }
  }
  return { data }
}

/** What one name is refused with; what would refuse every name is thrown. */
function refusalOf(err: unknown): string {
  const code = err instanceof DomainError || err instanceof PostgresError ? err.code : undefined
  if (code === '42501' || code === 'object_exists' || code === 'invalid_object_name') return code
  throw err
}

function addressOf({ config }: Deps, folder: string, { bucketId, name }: ObjectPlace, token: string): string {
  const path = [bucketId, ...name.split('/')].map(encodeURIComponent).join('/')
  return `${config.baseUrl}/storage/v1/${folder}/${path}?token=${token}`
}
