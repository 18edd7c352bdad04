// Who writes a resumable upload: the holder of an API key, a signed-in user, or whoever has a signed token.

import type { StorageCall } from '../call.ts'
import type { ObjectPlace } from '../names.ts'

export interface UploadWriter {
  /** How the database is asked. */
  readonly call: StorageCall
  /** The same for all requests of whoever may go on with an upload, and for nobody else. */
  readonly identity: string
  /** `sub` of whoever the object will belong to; null: nobody. */
  readonly ownerId: string | null
  /** The key that open uploads count against; undefined: a signed token's. */
  readonly apiKeyId: string | undefined
  /** What a signed token is for; undefined: no token, policies decide. */
  readonly signed?: { readonly place: ObjectPlace; readonly mode: 'create' | 'replace' } | undefined
}
