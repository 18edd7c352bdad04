// A store of blobs in memory, for tests of the sweep: with R2's order and limits, and with whatever happens between two
// calls. The real store is in the last test there.

import type { ListedBlob } from '../../../src/features/storage/blobs/blob-store.ts'

export class MemoryBlobs {
  readonly blobs = new Map<string, ListedBlob>()
  readonly aborted: string[] = []
  /** What happens right before a call, or in its place when it throws. */
  before: (call: 'list' | 'delete' | 'abort') => unknown = () => {}

  put(key: string, database: string | null, { ageHours = 1_000, size = 10 } = {}): void {
    const uploadedAt = new Date(Date.now() - ageHours * 3_600_000)
    this.blobs.set(key, { key, size, etag: '"e"', database, uploadedAt })
  }

  keys(): string[] {
    return [...this.blobs.keys()].sort(byBytes)
  }

  async list({ after, limit }: { after?: string; limit: number }) {
    if (limit > 1_000) throw new Error('R2 lists at most 1000')
    await this.before('list')
    const behind = this.keys().filter(key => after === undefined || byBytes(key, after) > 0)
    const blobs = behind.slice(0, limit).flatMap(key => this.blobs.get(key) ?? [])
    return { blobs, complete: behind.length <= limit }
  }

  async delete(keys: readonly string[]): Promise<void> {
    if (keys.length > 1_000) throw new Error('R2 deletes at most 1000')
    await this.before('delete')
    for (const key of keys) this.blobs.delete(key)
  }

  async abortParts(_key: string, uploadId: string): Promise<void> {
    await this.before('abort')
    this.aborted.push(uploadId)
  }
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
