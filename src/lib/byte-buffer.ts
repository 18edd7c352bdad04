// Collects bytes that come in pieces of any size. A list of them would cost a hundred bytes for each piece of one byte.

/** A buffer begins with this and doubles: what is collected is small as a rule. */
const BYTES_MIN = 4 * 1024

/** One buffer that grows up to `bytesMax` bytes. */
export class ByteBuffer {
  readonly #bytesMax: number
  #bytes = new Uint8Array()
  #size = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** How many bytes it still takes. */
  get room(): number {
    return this.#bytesMax - this.#size
  }

  /** Copies bytes behind those that are there; there must be room for them. */
  append(bytes: Uint8Array): void {
    const needed = this.#size + bytes.byteLength
    if (needed > this.#bytes.byteLength) this.#grow(needed)
    this.#bytes.set(bytes, this.#size)
    this.#size = needed
  }

  /** Copies as many of the bytes as there is room for, and answers the others. */
  fill(bytes: Uint8Array): Uint8Array {
    const { room } = this
    this.append(bytes.subarray(0, room))
    return bytes.subarray(room)
  }

  /** What was collected, as a view: `clear` and `append` change it. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#size)
  }

  /** Forgets what was collected and keeps the memory. */
  clear(): void {
    this.#size = 0
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(
      Math.min(this.#bytesMax, Math.max(BYTES_MIN, needed, 2 * this.#bytes.byteLength)),
    )
    larger.set(this.view())
    this.#bytes = larger
  }
}
