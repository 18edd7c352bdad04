// What a ResumableUpload keeps in its SQLite: what the upload is to become, the parts that the store has, and the bytes
// behind them that are no part yet. No decisions. Nothing is created before an upload begins: an object of an unknown
// id must leave no trace.

import type { Blob } from '../src/features/storage/blobs/blob-store.ts'
import { RESUMABLE_PART_BYTES } from '../src/features/storage/blobs/part-sizes.ts'
import type { UploadPlan } from '../src/features/storage/resumable/upload-contract.ts'
import { ByteBuffer } from '../src/lib/byte-buffer.ts'

export interface StoredUpload extends UploadPlan {
  /** Of the upload in parts; null: none was begun. */
  readonly multipartId: string | null
  /** True from before the store is asked to make the blob: it may be there. */
  readonly isCompleting: boolean
  /** All bytes, as the store has them. */
  readonly blob: Blob | null
  /** True from before the row is written: it may be there. */
  readonly isFinishing: boolean
  readonly isFinished: boolean
  /** It is given up, and what it left is yet to be removed. */
  readonly isCancelled: boolean
}

export interface StoredPart {
  readonly number: number
  readonly etag: string
}

const UPLOAD = 'upload'
/** A row holds 2 MB at most. */
const ROW_BYTES = 1024 * 1024

const TABLES = `
  create table if not exists parts (number integer primary key, etag text not null, size integer not null);
  create table if not exists tail (number integer primary key, bytes blob not null);`

/** Synchronous throughout: the runtime holds answers and calls back until writes are durable. */
export class UploadStorage {
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  begin(plan: UploadPlan): void {
    this.#storage.sql.exec(TABLES)
    this.#write({
      ...plan,
      multipartId: null,
      isCompleting: false,
      blob: null,
      isFinishing: false,
      isFinished: false,
      isCancelled: false,
    })
  }

  read(): StoredUpload | undefined {
    return this.#storage.kv.get<StoredUpload>(UPLOAD)
  }

  change(upload: StoredUpload, changes: Partial<StoredUpload>): StoredUpload {
    const changed = { ...upload, ...changes }
    this.#write(changed)
    return changed
  }

  /** Bytes that are stored here or there. */
  offset(): number {
    return this.#number('select coalesce(sum(size), 0) as value from parts') + this.#tailSize()
  }

  parts(): StoredPart[] {
    const rows = this.#storage.sql.exec<{ number: number; etag: string }>(
      'select number, etag from parts order by number',
    )
    return rows.toArray()
  }

  partCount(): number {
    return this.#number('select count(*) as value from parts')
  }

  /** The store has the tail now, as this part. */
  addPart({ number, etag }: StoredPart, size: number): void {
    this.#storage.sql.exec('insert into parts values (?, ?, ?)', number, etag, size)
    this.#storage.sql.exec('delete from tail')
  }

  /** The bytes behind the parts, with room for a whole part. */
  readTail(): ByteBuffer {
    const buffer = new ByteBuffer(RESUMABLE_PART_BYTES)
    for (const { bytes } of this.#storage.sql.exec<{ bytes: ArrayBuffer }>(
      'select bytes from tail order by number',
    ))
      buffer.append(new Uint8Array(bytes))
    return buffer
  }

  /** Keeps the tail with what was added to it; only rows that change are written. */
  keepTail(bytes: Uint8Array): void {
    const stored = this.#tailSize()
    if (bytes.byteLength === stored) return
    for (let number = Math.floor(stored / ROW_BYTES); number * ROW_BYTES < bytes.byteLength; number++) {
      const row = bytes.slice(number * ROW_BYTES, (number + 1) * ROW_BYTES)
      this.#storage.sql.exec('insert or replace into tail values (?, ?)', number, row)
    }
  }

  /** Of a blob nothing more is kept here. */
  setBlob(upload: StoredUpload, blob: Blob): StoredUpload {
    this.#storage.sql.exec('delete from tail')
    return this.change(upload, { blob })
  }

  async clear(): Promise<void> {
    await this.#storage.deleteAlarm()
    await this.#storage.deleteAll()
  }

  #write(upload: StoredUpload): void {
    this.#storage.kv.put(UPLOAD, upload)
  }

  #tailSize(): number {
    return this.#number('select coalesce(sum(length(bytes)), 0) as value from tail')
  }

  #number(query: string): number {
    return this.#storage.sql.exec<{ value: number }>(query).one().value
  }
}
