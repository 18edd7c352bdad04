// Whether the store of files answers.

import { deadline } from '../../lib/deadline.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import { down, latencySince, logProbeFailure, PROBE_TIMEOUT_MS, type Probed } from './probe.ts'

export interface StorageStateDeps {
  blobs: Pick<BlobStore, 'head'>
}

/** No blob has it: versions are UUIDs. */
const NO_KEY = 'quoin/status'

/** Asks for a blob that does not exist, for two seconds at most. Never throws. */
export async function readStorageState({ blobs }: StorageStateDeps): Promise<Probed> {
  const startedAt = performance.now()
  try {
    await deadline(PROBE_TIMEOUT_MS, blobs.head(NO_KEY))
    return { state: 'up', latencyMs: latencySince(startedAt), problems: [] }
  } catch (err) {
    logProbeFailure('storage_down', err)
    return down(
      'The store of files (R2) does not answer within 2 s: uploads and downloads fail. Look at Cloudflare’s status, ' +
        'and at the Worker’s log.',
    )
  }
}
