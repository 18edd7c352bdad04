// Runs the pg_dump that comes with npm, as WebAssembly. It holds its output in memory, so it writes schemas alone. It
// wants each answer at once: so it runs in a thread that waits, while this one speaks to Postgres over a connection
// that was opened as all others are, with their password and TLS.

import type { Socket } from 'node:net'
import { MessageChannel, Worker } from 'node:worker_threads'
import { Client } from 'pg'
import { StackError } from '../support/output.ts'

/** The newest server that it reads. */
export const BUNDLED_MAJOR = 18
export const BUNDLED_NAME = 'pg_dump 18.3 of @electric-sql/pglite-tools'

const CONNECT_TIMEOUT_MS = 10_000
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** What libpq is told of the server when it connects; how pg_dump writes texts follows from the last. */
const REPORTED = [
  'server_version',
  'server_encoding',
  'client_encoding',
  'DateStyle',
  'integer_datetimes',
  'standard_conforming_strings',
]

/** What the thread is given. `answered` is 1 when an answer lies at the port. */
export interface DumpThreadData {
  readonly port: import('node:worker_threads').MessagePort
  readonly answered: SharedArrayBuffer
  readonly settings: readonly { readonly name: string; readonly setting: string }[]
  readonly args: readonly string[]
}

/** What the thread is told of a request, and what the thread says at its end. */
export type WireAnswer = { readonly bytes: Uint8Array } | { readonly broken: string }
export type DumpOutcome = { readonly text: string } | { readonly problem: string }

/** What pg_dump writes with these arguments. Throws what it says when it fails. */
export async function runBundledDump(url: string, args: readonly string[]): Promise<string> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'quoin:backup',
  })
  client.on('error', () => {
    // The exchange under way fails by itself.
  })
  await client.connect()
  try {
    const { rows: settings } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_catalog.pg_settings where name = any ($1)',
      [REPORTED],
    )
    return await exchange(socketOf(client), settings, args)
  } finally {
    socketOf(client).destroy()
  }
}

/** node-postgres shows its socket, which its types leave out. */
function socketOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

async function exchange(
  socket: Socket,
  settings: DumpThreadData['settings'],
  args: readonly string[],
): Promise<string> {
  const { port1, port2 } = new MessageChannel()
  const answered = new SharedArrayBuffer(4)
  const flag = new Int32Array(answered)
  const tell = (answer: WireAnswer) => {
    port1.postMessage(answer)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }
  const broken = () => tell({ broken: 'the connection to Postgres broke' })
  socket.removeAllListeners('data')
  socket.on(
    'data',
    wholeAnswers(bytes => tell({ bytes })),
  )
  socket.on('close', broken)
  port1.on('message', (bytes: Uint8Array) => (socket.destroyed ? broken() : socket.write(bytes)))
  const workerData: DumpThreadData = { port: port2, answered, settings, args }
  const thread = new Worker(new URL('./bundled-dump-thread.ts', import.meta.url), {
    workerData,
    transferList: [port2],
  })
  try {
    const outcome = await new Promise<DumpOutcome>((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('pg_dump ended without a word')))
    })
    if ('problem' in outcome) throw new StackError(`pg_dump failed: ${saidOf(outcome.problem)}`)
    return outcome.text
  } finally {
    socket.off('close', broken)
    port1.close()
    await thread.terminate()
  }
}

/** It names itself after the thread's file, and the WebAssembly around it has words of its own before that. */
function saidOf(problem: string): string {
  const lines = problem.split('bundled-dump-thread.ts: ').slice(1)
  return lines.length === 0 ? problem : lines.map(line => line.trim()).join('; ')
}

/**
 * Collects what Postgres sends, and hands it on when Postgres waits for the next query. What it says by itself (a
 * changed setting, a notice) may lie behind that in the same chunk.
 */
export function wholeAnswers(onAnswer: (bytes: Uint8Array) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  return chunk => {
    chunks.push(chunk)
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let isReady = false
    let at = 0
    while (rest.length - at >= 5 && rest.length - at > rest.readUInt32BE(at + 1)) {
      isReady ||= rest[at] === READY_FOR_QUERY
      at += 1 + rest.readUInt32BE(at + 1)
    }
    rest = rest.subarray(at)
    if (!isReady) return
    onAnswer(Buffer.concat(chunks))
    chunks = []
  }
}
