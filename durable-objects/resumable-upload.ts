// One object per resumable upload, named by the upload's id. Takes bytes in chunks of any size, hands them to the store
// in equal parts, and makes an object of the whole, as whoever sends the last of it. What is kept is in
// upload-storage.ts, how a body is read in chunk-reader.ts, what follows from what in features/storage/resumable.
//
// What this must keep true: the offset counts stored bytes alone, and one request writes at a time. Each step that
// cannot be taken twice is noted before it is taken, so that after any end it is known what may have happened.

import { DurableObject } from 'cloudflare:workers'
import { parseConfig } from '../src/config.ts'
import { dataDatabase, type Env, platformDatabase } from '../src/deps.ts'
import type { StorageDeps } from '../src/features/storage/as-caller.ts'
import { type Blob, makeBlobStore } from '../src/features/storage/blobs/blob-store.ts'
import { type HeldBody, isolateHeld } from '../src/features/storage/blobs/held-bytes.ts'
import { RESUMABLE_PART_BYTES } from '../src/features/storage/blobs/part-sizes.ts'
import { decideWrite } from '../src/features/storage/resumable/decide-write.ts'
import { toErrorRecord } from '../src/features/storage/resumable/error-record.ts'
import { finishUpload } from '../src/features/storage/resumable/finish-upload.ts'
import type { ChunkHeaders } from '../src/features/storage/resumable/protocol.ts'
import type {
  ResumableUpload as Upload,
  UploadCall,
  UploadFailure,
  UploadOutcome,
  UploadPlan,
  UploadState,
} from '../src/features/storage/resumable/upload-contract.ts'
import type { StorageCall } from '../src/features/storage/storage-call.ts'
import { noteParts } from '../src/features/storage/writes/claims.ts'
import { isPassing, takeBack } from '../src/features/storage/writes/undo.ts'
import type { ByteBuffer } from '../src/lib/byte-buffer.ts'
import { sharedDeadline } from '../src/lib/deadline.ts'
import { BodyBrokeOff, ChunkReader } from './chunk-reader.ts'
import { type StoredUpload, UploadStorage } from './upload-storage.ts'

/** Whoever has sent nothing for so long makes way for the next request: mostly it is the same sender, come back. */
const SILENT_MS = 1_000
/** So long a request waits for the one that writes, looking so often. */
const WAIT_MS = 8_000
const LOOK_EVERY_MS = 200
/** After a removal that failed. */
const CLEAR_AGAIN_MS = 10 * 60_000

const UNKNOWN = { outcome: 'unknown' } as const
const LOCKED = { outcome: 'locked' } as const

export class ResumableUpload extends DurableObject<Env> implements Upload {
  readonly #deps: StorageDeps
  readonly #deadline = sharedDeadline()
  readonly #storage: UploadStorage
  #reader: ChunkReader | undefined
  /** What makes an object of the whole; all who ask wait for the same. */
  #finishing: Promise<UploadOutcome> | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const config = parseConfig(env)
    this.#deps = {
      config,
      data: dataDatabase(config, this.#deadline),
      platform: platformDatabase(config, this.#deadline),
      blobs: makeBlobStore(env.STORAGE, { deadline: this.#deadline }),
      // The object serves no files.
      publicRows: { forget() {} },
    }
    this.#storage = new UploadStorage(ctx.storage)
  }

  async begin(plan: UploadPlan): Promise<void> {
    this.#storage.begin(plan)
    await this.ctx.storage.setAlarm(plan.expiresAtMs)
  }

  async read({ identity, call }: UploadCall): Promise<UploadOutcome> {
    if (this.#find(identity) === undefined) return UNKNOWN
    // Else the bytes of a connection that has died could still move the offset behind the answer.
    return (await this.#isFree()) ? await this.#settle(call) : LOCKED
  }

  async write(
    { identity, call }: UploadCall,
    chunk: ChunkHeaders,
    body: ReadableStream<Uint8Array> | null,
  ): Promise<UploadOutcome> {
    const failure = await this.#take(identity, chunk, body)
    return failure ?? (await this.#settle(call))
  }

  async cancel(identity: string): Promise<'cancelled' | 'locked' | 'unknown'> {
    const upload = this.#find(identity)
    if (upload === undefined || upload.isFinished) return 'unknown'
    if (this.#finishing !== undefined) return 'locked'
    this.#storage.change(upload, { isCancelled: true })
    await this.#remove()
    return 'cancelled'
  }

  override async alarm(): Promise<void> {
    const upload = this.#storage.read()
    if (upload === undefined) return
    if (this.#finishing === undefined) await this.#remove()
    else await this.ctx.storage.setAlarm(Date.now() + CLEAR_AGAIN_MS)
  }

  /** Stores what of the chunk comes; undefined when it came whole, or there was nothing to store. */
  async #take(
    identity: string,
    chunk: ChunkHeaders,
    body: ReadableStream<Uint8Array> | null,
  ): Promise<UploadFailure | undefined> {
    const reader = new ChunkReader(body, this.#deadline)
    try {
      // A stranger's request must not end that of a sender who is silent for a moment.
      if (this.#find(identity) === undefined) return UNKNOWN
      const isFree = await this.#isFree()
      const upload = this.#find(identity)
      if (upload === undefined) return UNKNOWN
      if (!isFree || this.#reader !== undefined) return LOCKED
      const decision = decideWrite({ ...this.#stateOf(upload), bytesMax: upload.bytesMax }, chunk)
      if (decision.outcome === 'repeated') return undefined
      if (decision.outcome !== 'receive') return decision
      this.#reader = reader
      const known = this.#storage.change(upload, { length: decision.length })
      return await this.#receive(known, reader, { ...decision, bytes: chunk.bytes ?? decision.bytesMax })
    } finally {
      if (this.#reader === reader) this.#reader = undefined
      reader.close()
    }
  }

  async #receive(
    upload: StoredUpload,
    reader: ChunkReader,
    { bytes, bytesMax }: { bytes: number; bytesMax: number },
  ): Promise<UploadFailure | undefined> {
    const tail = this.#storage.readTail()
    let held: HeldBody | undefined
    try {
      held = await makeRoom(tail.view().byteLength + bytes)
      for (let received = 0; ; ) {
        if (tail.room === 0) await this.#storePart(upload, tail)
        const chunk = await reader.read()
        if (chunk === undefined) return undefined
        received += chunk.byteLength
        if (received > bytesMax) return { outcome: 'too_large', bytesMax: upload.length ?? upload.bytesMax }
        for (let rest = tail.fill(chunk); rest.byteLength > 0; rest = tail.fill(rest))
          await this.#storePart(upload, tail)
      }
    } catch (err) {
      return err instanceof BodyBrokeOff ? { outcome: 'broke_off' } : passing(err)
    } finally {
      held?.close()
      if (this.#isOpen()) this.#storage.keepTail(tail.view())
    }
  }

  /** The part is the store's before it is noted: what is noted is stored. */
  async #storePart({ claim, database }: StoredUpload, tail: ByteBuffer): Promise<void> {
    const { blobs } = this.#deps
    const upload = this.#storage.read()
    if (upload === undefined || upload.isCancelled) throw new BodyBrokeOff('the upload was ended')
    const multipartId = upload.multipartId ?? (await blobs.beginParts(claim.key, { database }))
    if (upload.multipartId === null) {
      this.#storage.change(upload, { multipartId })
      await noteParts(this.#deps, claim, multipartId).catch(err => logFailure('parts were not noted', err))
    }
    const number = this.#storage.partCount() + 1
    const { etag } = await blobs.putPart(claim.key, multipartId, number, tail.view())
    if (!this.#isOpen()) throw new BodyBrokeOff('the upload was ended')
    this.#storage.addPart({ number, etag }, tail.view().byteLength)
    tail.clear()
  }

  /** How far the upload is; of one that is whole an object is made first. */
  async #settle(call: StorageCall): Promise<UploadOutcome> {
    const upload = this.#storage.read()
    if (upload === undefined || upload.isCancelled) return UNKNOWN
    const state = this.#stateOf(upload)
    if (upload.isFinished || state.offset !== state.length) return { outcome: 'stored', state }
    this.#finishing ??= this.#finish(upload, call).finally(() => {
      this.#finishing = undefined
    })
    return await this.#finishing
  }

  async #finish(upload: StoredUpload, call: StorageCall): Promise<UploadOutcome> {
    try {
      const blob = upload.blob ?? (await this.#complete(upload))
      const whole = this.#storage.setBlob({ ...upload, isCompleting: true }, blob)
      const finishing = this.#storage.change(whole, { isFinishing: true })
      await finishUpload(this.#deps, call, upload, { blob, isRetry: upload.isFinishing })
      this.#storage.change(finishing, { isFinished: true })
      return { outcome: 'stored', state: this.#stateOf(finishing) }
    } catch (err) {
      const failure = passing(err)
      if (failure.outcome === 'refused') await this.#storage.clear()
      return failure
    }
  }

  /** The bytes as one blob. */
  async #complete(upload: StoredUpload): Promise<Blob> {
    const { claim, database, length } = upload
    const { blobs } = this.#deps
    if (upload.isCompleting) {
      const found = await blobs.head(claim.key)
      if (found !== null && found.size === length) return found
    }
    const completing = this.#storage.change(upload, { isCompleting: true })
    const tail = this.#storage.readTail()
    const held = await makeRoom(tail.view().byteLength)
    try {
      if (upload.multipartId === null)
        return await blobs.put(claim.key, tail.view(), { length: length ?? 0, database })
      if (tail.view().byteLength > 0) await this.#storePart(completing, tail)
      return await blobs.completeParts(claim.key, upload.multipartId, this.#storage.parts())
    } finally {
      held.close()
    }
  }

  /** Waits a moment for the request that writes, and ends one whose sender is silent. True: nobody writes now. */
  async #isFree(): Promise<boolean> {
    const untilMs = Date.now() + WAIT_MS
    for (let reader = this.#reader; reader !== undefined; reader = this.#reader) {
      if (reader.isSilentFor(SILENT_MS)) reader.end()
      if (Date.now() >= untilMs) return false
      await Promise.race([reader.over, new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))])
    }
    return true
  }

  /** The upload, for whoever began it and no one else. */
  #find(identity: string): StoredUpload | undefined {
    const upload = this.#storage.read()
    const isTheirs = upload?.identity === identity && !upload.isCancelled && Date.now() < upload.expiresAtMs
    return isTheirs ? upload : undefined
  }

  #isOpen(): boolean {
    return this.#storage.read()?.isCancelled === false
  }

  #stateOf({ length, expiresAtMs, metadataHeader, blob }: StoredUpload): UploadState {
    return { offset: blob?.size ?? this.#storage.offset(), length, expiresAtMs, metadataHeader }
  }

  /** Removes the upload and all that no row has. What fails is tried again; then the upload counts as cancelled. */
  async #remove(): Promise<void> {
    const upload = this.#storage.read()
    if (upload === undefined) return
    this.#storage.change(upload, { isCancelled: true })
    this.#reader?.end()
    await this.#reader?.over
    try {
      if (!upload.isFinished) await this.#discard(upload)
      await this.#storage.clear()
    } catch (err) {
      logFailure('an upload was not removed', err)
      await this.ctx.storage.setAlarm(Date.now() + CLEAR_AGAIN_MS)
    }
  }

  async #discard({ claim }: StoredUpload): Promise<void> {
    const { blobs } = this.#deps
    const multipartId = this.#storage.read()?.multipartId ?? null
    if (multipartId !== null) await blobs.abortParts(claim.key, multipartId)
    await takeBack(this.#deps, claim)
  }
}

/**
 * Room for so many bytes, a part at most. Who holds a part mostly ends soon, and an unread body costs nothing: it waits
 * a moment. Throws `storage_unavailable` where there is no room then.
 */
async function makeRoom(bytes: number): Promise<HeldBody> {
  const held = isolateHeld.open()
  for (const untilMs = Date.now() + WAIT_MS; ; ) {
    try {
      held.grow(Math.min(bytes, RESUMABLE_PART_BYTES))
      return held
    } catch (err) {
      if (Date.now() >= untilMs) throw err
    }
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/** What a failure means for the upload. Throws what is none of the store, the database or a policy. */
function passing(err: unknown): UploadFailure {
  const error = toErrorRecord(err)
  if (error === undefined) throw err
  return { outcome: isPassing(err) ? 'unavailable' : 'refused', error }
}

function logFailure(message: string, err: unknown): void {
  console.error(
    JSON.stringify({ level: 'error', component: 'resumable-upload', message, cause: String(err) }),
  )
}
