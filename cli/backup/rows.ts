// Rows between Postgres and a compressed file, as COPY writes them; only pieces of them are ever in memory.

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** The levels above cost twice the time for some hundredths of the size. */
const GZIP_LEVEL = 4

export interface Measured {
  readonly bytes: number
  readonly sha256: string
}

/** Counts and hashes what goes through, and tells of each piece. */
class Meter {
  #bytes = 0
  readonly #hash = createHash('sha256')
  readonly #onBytes: (bytes: number) => void

  constructor(onBytes: (bytes: number) => void = () => {}) {
    this.#onBytes = onBytes
  }

  readonly through = async function* (this: Meter, chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length
      this.#hash.update(chunk)
      this.#onBytes(chunk.length)
      yield chunk
    }
  }.bind(this)

  measured(): Measured {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

export interface CopiedRows {
  readonly rowCount: number
  readonly plain: Measured
  readonly compressed: Measured
}

/** Writes what a COPY statement answers into a new file, which is on the disk when this is done. */
export async function copyToFile(
  client: Client,
  sql: string,
  path: string,
  onBytes: (compressed: number) => void,
): Promise<CopiedRows> {
  const [plain, compressed] = [new Meter(), new Meter(onBytes)]
  const rows = client.query(copyTo(sql))
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(rows, plain.through, createGzip({ level: GZIP_LEVEL }), compressed.through, file)
  return { rowCount: rows.rowCount ?? 0, plain: plain.measured(), compressed: compressed.measured() }
}

/** The hash of what a COPY statement answers, and how many rows it has. */
export async function measureCopy(
  client: Client,
  sql: string,
): Promise<{ rowCount: number; plain: Measured }> {
  const plain = new Meter()
  const rows = client.query(copyTo(sql))
  await pipeline(rows, plain.through, async chunks => {
    for await (const _ of chunks);
  })
  return { rowCount: rows.rowCount ?? 0, plain: plain.measured() }
}

/** Sends a compressed file to a COPY statement. */
export async function copyFromFile(client: Client, sql: string, path: string): Promise<void> {
  await pipeline(createReadStream(path), createGunzip(), client.query(copyFrom(sql)))
}

/** The hash of a file as it lies there. */
export async function measureFile(path: string): Promise<Measured> {
  const meter = new Meter()
  await pipeline(createReadStream(path), meter.through, async chunks => {
    for await (const _ of chunks);
  })
  return meter.measured()
}
