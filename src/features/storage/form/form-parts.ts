// Takes a form apart while it comes (RFC 2046 §5.1.1), whatever chunks it comes in. Of the file nothing is held but
// what may be the beginning of a delimiter. All else is held before any policy is asked, so it is small.

import { DomainError } from '../../../errors.ts'
import { ByteBuffer } from '../../../lib/byte-buffer.ts'
import type { Source } from '../blobs/read-source.ts'
import { findBytes } from './find-bytes.ts'
import { badForm, type PartHeaders, parsePartHeaders } from './part-headers.ts'

/** Everything in a form but its file: fields, headers, delimiters, and what surrounds them. */
export const ASIDE_BYTES_MAX = 128 * 1024
const HEADER_BYTES_MAX = 16 * 1024
/** Fields, in front of the file and behind it. */
export const FIELDS_MAX = 100

const encoder = new TextEncoder()
const LINE_END = encoder.encode('\r\n')
const HEADERS_END = encoder.encode('\r\n\r\n')
const DASH = 0x2d

/** The parts of a form, in order. All of it throws `invalid_body`, `payload_too_large` and what the body fails with. */
export class FormParts {
  readonly #source: Source
  readonly #delimiter: Uint8Array
  /** Came and was not taken. In front of the first delimiter there may be no line break: it is as if there were. */
  #held: Uint8Array = LINE_END
  /** Bytes that were taken. */
  #taken = -LINE_END.byteLength
  #fileBytes = 0
  #parts = 0

  constructor(source: Source, boundary: string) {
    this.#source = source
    this.#delimiter = encoder.encode(`\r\n--${boundary}`)
  }

  /** Passes what is in front of the first part. */
  async begin(): Promise<void> {
    await this.#collect(this.#delimiter, ASIDE_BYTES_MAX)
  }

  /** The headers of the next part, whose body must be taken before the next call; undefined behind the last. */
  async next(): Promise<PartHeaders | undefined> {
    while (this.#held.byteLength < 2) await this.#fill()
    if (this.#held[0] === DASH && this.#held[1] === DASH) return undefined
    this.#parts += 1
    if (this.#parts > FIELDS_MAX + 1) throw tooLarge(`more than ${FIELDS_MAX} fields`)
    return parsePartHeaders(new TextDecoder().decode(await this.#collect(HEADERS_END, HEADER_BYTES_MAX)))
  }

  /** The body of a field. */
  async takeField(): Promise<string> {
    const bytes = await this.#collect(this.#delimiter, ASIDE_BYTES_MAX)
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw badForm('A field of the form is not valid UTF-8.')
    }
  }

  /** The next bytes of the file; undefined behind its last. */
  async takeOfFile(): Promise<Uint8Array | undefined> {
    const bytes = await this.#takeBefore(this.#delimiter)
    this.#fileBytes += bytes?.byteLength ?? 0
    return bytes
  }

  /** Passes what is behind the last part. */
  async end(): Promise<void> {
    for (;;) {
      this.#take(this.#held.byteLength)
      this.#checkAside()
      const chunk = await this.#source.read()
      if (chunk === undefined) return
      this.#held = chunk
    }
  }

  /**
   * The bytes of the file whose headers were just read, in a form of so many, if it is the last part, and the form ends
   * in a line break, as clients send it. Else the file has two bytes more, or up to 128 KiB less.
   */
  likelyLength(formBytes: number): number {
    const end = this.#delimiter.byteLength + 2 + LINE_END.byteLength
    return Math.max(0, formBytes - this.#taken - end)
  }

  /** Bytes that are not of the file. */
  get #aside(): number {
    return this.#taken - this.#fileBytes
  }

  #checkAside(): void {
    if (this.#aside > ASIDE_BYTES_MAX) throw tooLarge(`more than ${ASIDE_BYTES_MAX} bytes beside its file`)
  }

  /** All in front of `end`, which is passed. */
  async #collect(end: Uint8Array, bytesMax: number): Promise<Uint8Array> {
    const collected = new ByteBuffer(bytesMax)
    for (;;) {
      const bytes = await this.#takeBefore(end)
      this.#checkAside()
      if (bytes === undefined) return collected.view()
      if (bytes.byteLength > collected.room) throw tooLarge(`more than ${bytesMax} bytes in front of a part`)
      collected.append(bytes)
    }
  }

  /** Some of what is in front of `end`; undefined once `end` was passed. */
  async #takeBefore(end: Uint8Array): Promise<Uint8Array | undefined> {
    for (;;) {
      const { at, whole } = findBytes(this.#held, end)
      if (at > 0) return this.#take(at)
      if (whole) {
        this.#take(end.byteLength)
        return undefined
      }
      await this.#fill()
    }
  }

  #take(bytes: number): Uint8Array {
    const taken = this.#held.subarray(0, bytes)
    this.#held = this.#held.subarray(bytes)
    this.#taken += bytes
    return taken
  }

  async #fill(): Promise<void> {
    const chunk = await this.#source.read()
    if (chunk === undefined) throw badForm('The form ends before its closing boundary.')
    if (this.#held.byteLength === 0) {
      this.#held = chunk
      return
    }
    const joined = new Uint8Array(this.#held.byteLength + chunk.byteLength)
    joined.set(this.#held)
    joined.set(chunk, this.#held.byteLength)
    this.#held = joined
  }
}

function tooLarge(what: string): DomainError {
  return new DomainError('payload_too_large', `The form has ${what}.`, {
    hint: 'Send the file and few, small fields.',
  })
}
