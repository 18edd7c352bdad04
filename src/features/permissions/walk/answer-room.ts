// How much an answer may hold, counted in bytes of its JSON before it is made.

/** A subject's braces, quotes and names of fields; those of each of its grants. */
const SUBJECT_FRAME_BYTES = 60
const GRANT_FRAME_BYTES = 30
/** The quotes and the comma of a tuple's text. */
const TEXT_FRAME_BYTES = 3

/** Shared by all walks of one answer. */
export class AnswerRoom {
  readonly #rowBytes: number
  readonly #subjects = new Set<string>()
  /** Of tuples' texts: many grants share the beginning of their way. */
  readonly #sizes = new Map<string, number>()
  #bytes: number

  /** `rowBytes`: what each subject takes beside its texts, as a row of the matrix. */
  constructor(bytesMax: number, rowBytes = 0) {
    this.#bytes = bytesMax
    this.#rowBytes = rowBytes
  }

  /** Takes the room of a grant; false where there is not enough, and from then on. */
  take(subject: string, via: readonly string[]): boolean {
    if (this.#bytes < 0) return false
    this.#bytes -= GRANT_FRAME_BYTES
    for (const text of via) this.#bytes -= this.#sizeOf(text)
    if (!this.#subjects.has(subject)) {
      // It stands in the list and in the matrix.
      this.#bytes -= 2 * jsonBytes(subject) + SUBJECT_FRAME_BYTES + this.#rowBytes
      this.#subjects.add(subject)
    }
    return this.#bytes >= 0
  }

  #sizeOf(text: string): number {
    const known = this.#sizes.get(text)
    if (known !== undefined) return known
    const size = jsonBytes(text) + TEXT_FRAME_BYTES
    this.#sizes.set(text, size)
    return size
  }
}

/** How many bytes of UTF-8 a text takes inside of a JSON string. */
export function jsonBytes(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) bytes += bytesOf(text.charCodeAt(i))
  return bytes
}

/** Of a UTF-16 unit; half of a pair takes half of four bytes. */
function bytesOf(unit: number): number {
  if (unit < 0x20) return 6
  if (unit === 0x22 || unit === 0x5c) return 2
  if (unit < 0x80) return 1
  if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) return 2
  return 3
}
