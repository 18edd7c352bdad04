/**
 * Owns writing the frontend messages of the extended protocol into one growing buffer, so that a batch is one write.
 * Must not know batches; `pg-protocol`'s serializer makes a buffer a message and serves the rare ones.
 */

const BUFFER_BYTES_INITIAL = 64 * 1024
const BUFFER_BYTES_KEPT = 1024 * 1024
const UTF8_BYTES_PER_UNIT_MAX = 3
/** Longer texts are counted in bytes before room is made for them. */
const COUNTED_UNITS_MIN = 16 * 1024

const EXECUTE_UNNAMED = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0])
const DESCRIBE_UNNAMED_PORTAL = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0])
const SYNC = Buffer.from([0x53, 0, 0, 0, 4])
const FLUSH = Buffer.from([0x48, 0, 0, 0, 4])

/** Collects messages until `take`; names and texts must hold no NUL character, which the request's parser checks. */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES_INITIAL)
  #offset = 0

  /** Parse without parameter types: Postgres infers all of them. */
  parse(name: string, sql: string): void {
    const start = this.#open(0x50, (name.length + sql.length) * UTF8_BYTES_PER_UNIT_MAX + 4)
    this.#cstring(name)
    this.#cstring(sql)
    this.#offset = this.#buffer.writeInt16BE(0, this.#offset)
    this.#close(start)
  }

  /** Bind to the unnamed portal, everything in text format. */
  bind(name: string, params: readonly (string | null)[]): void {
    const start = this.#open(0x42, name.length * UTF8_BYTES_PER_UNIT_MAX + 8)
    this.#buffer[this.#offset++] = 0
    this.#cstring(name)
    this.#offset = this.#buffer.writeInt16BE(0, this.#offset)
    this.#offset = this.#buffer.writeUInt16BE(params.length, this.#offset)
    for (const param of params) this.#param(param)
    this.#ensure(2)
    this.#offset = this.#buffer.writeInt16BE(0, this.#offset)
    this.#close(start)
  }

  /** Close of a prepared statement. */
  closeStatement(name: string): void {
    const start = this.#open(0x43, name.length * UTF8_BYTES_PER_UNIT_MAX + 2)
    this.#buffer[this.#offset++] = 0x53
    this.#cstring(name)
    this.#close(start)
  }

  /** A simple query; Postgres answers each with a ReadyForQuery of its own. */
  query(sql: string): void {
    const start = this.#open(0x51, sql.length * UTF8_BYTES_PER_UNIT_MAX + 1)
    this.#cstring(sql)
    this.#close(start)
  }

  describePortal(): void {
    this.#raw(DESCRIBE_UNNAMED_PORTAL)
  }

  execute(): void {
    this.#raw(EXECUTE_UNNAMED)
  }

  sync(): void {
    this.#raw(SYNC)
  }

  flush(): void {
    this.#raw(FLUSH)
  }

  /** What was collected, as bytes that the next batch does not overwrite. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#offset)
    this.#offset = 0
    if (this.#buffer.length <= BUFFER_BYTES_KEPT) return Buffer.from(bytes)
    this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES_INITIAL)
    return bytes
  }

  #open(code: number, bodyBytes: number): number {
    this.#ensure(bodyBytes + 5)
    this.#buffer[this.#offset] = code
    this.#offset += 5
    return this.#offset - 4
  }

  #close(start: number): void {
    this.#buffer.writeInt32BE(this.#offset - start, start)
  }

  #cstring(text: string): void {
    this.#offset += this.#buffer.write(text, this.#offset)
    this.#buffer[this.#offset++] = 0
  }

  #param(param: string | null): void {
    if (param === null) {
      this.#ensure(4)
      this.#offset = this.#buffer.writeInt32BE(-1, this.#offset)
      return
    }
    // Counting costs less than megabytes that stay empty.
    const isLarge = param.length > COUNTED_UNITS_MIN
    this.#ensure((isLarge ? Buffer.byteLength(param) : param.length * UTF8_BYTES_PER_UNIT_MAX) + 4)
    const bytes = this.#buffer.write(param, this.#offset + 4)
    this.#buffer.writeInt32BE(bytes, this.#offset)
    this.#offset += bytes + 4
  }

  #raw(message: Buffer): void {
    this.#ensure(message.length)
    message.copy(this.#buffer, this.#offset)
    this.#offset += message.length
  }

  #ensure(bytes: number): void {
    if (this.#offset + bytes <= this.#buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#offset + bytes))
    this.#buffer.copy(grown, 0, 0, this.#offset)
    this.#buffer = grown
  }
}
