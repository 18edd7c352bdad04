// The thread that pg_dump runs in. What it sends goes to the other thread, and this one sleeps until there is the
// answer. The login is answered here: the connection is there already.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import type { DumpOutcome, DumpThreadData, WireAnswer } from './bundled-dump.ts'

const { port, answered, settings, args } = workerData as DumpThreadData
const flag = new Int32Array(answered)

/** Requests for TLS and GSSAPI, in the place of a protocol version. */
const ENCRYPTION_REQUESTS = [80_877_103, 80_877_104]

type OnAnswer = (bytes: Uint8Array) => void

let pending: Buffer = Buffer.alloc(0)
let isConnected = false

/** libpq may send a large query in pieces: only a whole one is sent on, and waited for. */
function take(bytes: Uint8Array, onAnswer: OnAnswer): void {
  pending = Buffer.concat([pending, bytes])
  while (isConnected ? takeMessage(onAnswer) : takeLogin(onAnswer));
}

function takeLogin(onAnswer: OnAnswer): boolean {
  if (pending.length < 8 || pending.length < pending.readUInt32BE(0)) return false
  const code = pending.readUInt32BE(4)
  pending = pending.subarray(pending.readUInt32BE(0))
  if (ENCRYPTION_REQUESTS.includes(code)) {
    onAnswer(Buffer.from('N'))
    return true
  }
  isConnected = true
  const reported = settings.map(({ name, setting }) => message('S', Buffer.from(`${name}\0${setting}\0`)))
  const welcome = [message('R', Buffer.alloc(4)), ...reported, message('K', Buffer.alloc(8))]
  onAnswer(Buffer.concat([...welcome, message('Z', Buffer.from('I'))]))
  return true
}

function takeMessage(onAnswer: OnAnswer): boolean {
  if (pending.length < 5 || pending.length <= pending.readUInt32BE(1)) return false
  const whole = Buffer.from(pending.subarray(0, 1 + pending.readUInt32BE(1)))
  pending = pending.subarray(whole.length)
  const type = String.fromCharCode(whole[0] ?? 0)
  if (type === 'X') return true
  Atomics.store(flag, 0, 0)
  port.postMessage(whole)
  if (type === 'Q' || type === 'S') onAnswer(waitForAnswer())
  return true
}

function waitForAnswer(): Uint8Array {
  Atomics.wait(flag, 0, 0)
  const received = receiveMessageOnPort(port) as { message: WireAnswer } | undefined
  if (received === undefined) throw new Error('no answer came')
  if ('broken' in received.message) throw new Error(received.message.broken)
  return received.message.bytes
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

/** What pg_dump asks of PGlite besides: the search path before and after, which nobody needs here. */
const standIn = {
  query: async () => ({ rows: [{ search_path: '' }] }),
  exec: async () => [],
  execProtocolRawStream: (bytes: Uint8Array, { onRawData }: { onRawData: OnAnswer }) =>
    take(bytes, onRawData),
}

async function main(): Promise<DumpOutcome> {
  try {
    const pg = standIn as unknown as Parameters<typeof pgDump>[0]['pg']
    const file = await pgDump({ pg, args: [...args] })
    return { text: await file.text() }
  } catch (err) {
    return { problem: err instanceof Error ? err.message : String(err) }
  }
}

parentPort?.postMessage(await main())
