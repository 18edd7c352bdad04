// Bytes of an upload that are fewer than a part, and what a part is. Pure.

/**
 * What goes to the store at once: what Supabase's clients send with each request, so that nothing of theirs waits. The
 * store takes parts of 5 MiB and more, and all but the last must be equal.
 */
export const PART_BYTES = 6 * 1024 * 1024
/** The store takes 10 000 parts. */
export const UPLOAD_BYTES_MAX = 10_000 * PART_BYTES

/** It begins with this and doubles: many files are small. */
const BUFFER_BYTES_MIN = 64 * 1024

/** Gathers a part. */
export class PartBuffer {
  #buffer = new Uint8Array()
  #size = 0

  /** Takes what there is room for, and answers the rest. */
  add(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, PART_BYTES - this.#size)
    this.#makeRoom(this.#size + taken.byteLength)
    this.#buffer.set(taken, this.#size)
    this.#size += taken.byteLength
    return chunk.subarray(taken.byteLength)
  }

  get isFull(): boolean {
    return this.#size === PART_BYTES
  }

  /** What was gathered, in place: valid until more is added. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size)
  }

  clear(): void {
    this.#size = 0
  }

  #makeRoom(needed: number): void {
    if (needed <= this.#buffer.byteLength) return
    const larger = new Uint8Array(
      Math.min(PART_BYTES, Math.max(needed, BUFFER_BYTES_MIN, 2 * this.#buffer.byteLength)),
    )
    larger.set(this.bytes)
    this.#buffer = larger
  }
}
