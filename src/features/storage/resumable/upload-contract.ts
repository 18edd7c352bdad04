// What the object of a resumable upload is told and asked. Types only, so that features and routes know no Durable
// Object.

import type { StorageCall } from '../storage-call.ts'
import type { Claim } from '../writes/claims.ts'
import type { RowWrite } from '../writes/write-row.ts'
import type { ErrorRecord } from './error-record.ts'
import type { ChunkHeaders } from './protocol.ts'

/** What an upload is to become: told once, when it begins. */
export interface UploadPlan {
  readonly claim: Claim
  readonly database: string
  readonly write: RowWrite
  readonly contentType: string
  readonly cacheControl: string
  /** `identity` of who began it: nobody else goes on with it. */
  readonly identity: string
  /** Upload-Metadata as it came, for HEAD. */
  readonly metadataHeader: string
  /** Bytes of the whole; null: said later. */
  readonly length: number | null
  /** The bucket's and the deployment's limit. */
  readonly bytesMax: number
  readonly expiresAtMs: number
}

/** How far an upload is. */
export interface UploadState {
  /** Bytes that are stored, whatever happens now. */
  readonly offset: number
  readonly length: number | null
  readonly expiresAtMs: number
  readonly metadataHeader: string
}

/** Who goes on with an upload, for the time of one call. */
export interface UploadCall {
  readonly identity: string
  readonly call: StorageCall
}

/** What kept an upload from going on; `refused` has ended it for good. */
export type UploadFailure =
  | { outcome: 'unknown' }
  /** Another request is writing. */
  | { outcome: 'locked' }
  /** It stands at another offset than the chunk was for. */
  | { outcome: 'elsewhere'; offset: number }
  | { outcome: 'other_length'; length: number | null }
  | { outcome: 'too_large'; bytesMax: number }
  /** What came of the body is stored. */
  | { outcome: 'broke_off' }
  /** The store or the database, of which the same request may have more luck. */
  | { outcome: 'unavailable'; error: ErrorRecord }
  | { outcome: 'refused'; error: ErrorRecord }

export type UploadOutcome = { outcome: 'stored'; state: UploadState } | UploadFailure

/** The object of one upload, named by the upload's id. Of a file that is whole each call makes the row, once. */
export interface ResumableUpload {
  begin(plan: UploadPlan): Promise<void>
  read(caller: UploadCall): Promise<UploadOutcome>
  /** Stores what of the body comes, also of one that breaks off. */
  write(
    caller: UploadCall,
    chunk: ChunkHeaders,
    body: ReadableStream<Uint8Array> | null,
  ): Promise<UploadOutcome>
  /** Ends it and forgets what is stored. One that has become an object is `unknown`. */
  cancel(identity: string): Promise<'cancelled' | 'locked' | 'unknown'>
}

export interface ResumableUploads {
  byId(uploadId: string): ResumableUpload
}
