/**
 * Owns cutting the server's byte stream into messages, without decoding them: a row that is passed on as bytes is
 * never turned into a string. Must not hold more than the one message that is incomplete.
 */

/** Receives a message: its code, and where its body lies in `bytes`, which stay valid after the call. */
export type FrameListener = (code: number, bytes: Buffer, start: number, end: number) => void

const HEADER_BYTES = 5
const EMPTY = Buffer.alloc(0)
const DATA_ROW = 0x44
const COPY_DATA = 0x64
const NOTICE = 0x4e

export class FrameReader {
  /** While true, rows, copied data and notices are dropped as they come, however long they are. */
  isDiscarding = false
  #chunks: Buffer[] = []
  #chunkBytes = 0
  #bytesNeeded = HEADER_BYTES
  #bytesToSkip = 0

  /** Bytes of the message that is incomplete. */
  get bytesHeld(): number {
    return this.#chunkBytes
  }

  /** The code of that message; undefined when there is none. */
  get codeHeld(): number | undefined {
    return this.#chunks[0]?.[0]
  }

  /** Takes what the socket read; throws when a length cannot be one of this protocol. */
  push(chunk: Buffer, listener: FrameListener): void {
    if (this.isDiscarding && this.#chunkBytes >= HEADER_BYTES) this.#dropHeld()
    if (this.#bytesToSkip > 0) {
      const skipped = Math.min(this.#bytesToSkip, chunk.length)
      this.#bytesToSkip -= skipped
      if (skipped === chunk.length) return
      chunk = chunk.subarray(skipped)
    }
    if (this.#chunkBytes > 0) {
      this.#chunks.push(chunk)
      this.#chunkBytes += chunk.length
      if (this.#chunkBytes < this.#bytesNeeded) return
      chunk = Buffer.concat(this.#chunks, this.#chunkBytes)
    }
    this.#hold(EMPTY, HEADER_BYTES)
    this.#cut(chunk, listener)
  }

  #cut(chunk: Buffer, listener: FrameListener): void {
    let offset = 0
    while (offset + HEADER_BYTES <= chunk.length) {
      const length = readLength(chunk, offset)
      const end = offset + 1 + length
      const code = chunk[offset] as number
      if (end > chunk.length) {
        if (this.isDiscarding && isBulk(code)) this.#bytesToSkip = end - chunk.length
        else this.#hold(chunk.subarray(offset), length + 1)
        return
      }
      if (!this.isDiscarding || !isBulk(code)) listener(code, chunk, offset + HEADER_BYTES, end)
      offset = end
    }
    if (offset < chunk.length) this.#hold(chunk.subarray(offset), HEADER_BYTES)
  }

  #hold(rest: Buffer, bytesNeeded: number): void {
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#chunkBytes = rest.length
    this.#bytesNeeded = bytesNeeded
  }

  #dropHeld(): void {
    if (!isBulk(this.#chunks[0]?.[0] ?? 0)) return
    this.#bytesToSkip = this.#bytesNeeded - this.#chunkBytes
    this.#hold(EMPTY, HEADER_BYTES)
  }
}

function readLength(chunk: Buffer, offset: number): number {
  const length = chunk.readInt32BE(offset + 1)
  if (length < 4) throw new Error('a message of impossible length')
  return length
}

function isBulk(code: number): boolean {
  return code === DATA_ROW || code === COPY_DATA || code === NOTICE
}
