// The sender of a body chooses its chunks. A megabyte in chunks of one byte held the isolate for a minute and took 4.7
// GB, from anybody: the body of /internal is read before its signature can be checked.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { groupMemory, WORKERD } from '../../bench/memory.ts'
import { listProcesses } from '../../local/process-table.ts'
import { startTestWorker } from '../support/worker.ts'

const BODY_BYTES = 512 * 1024
const BLOCK_CHUNKS = 16 * 1024

/** Megabytes of Miniflare's runtime, which is in this process' group. */
function memory(): number {
  const group = listProcesses().find(({ pid }) => pid === process.pid)?.groupId ?? 0
  return groupMemory(group, WORKERD)
}

it('takes no more memory for a body of many chunks than for its bytes', async () => {
  await using quoin = await startTestWorker({ vars: { INGEST_SECRET: 'x'.repeat(40) } })
  await quoin.fetch('/healthz')
  const before = memory()
  const socket = connect(Number(new URL(quoin.url).port), '127.0.0.1')
  let answer = ''
  socket.on('data', data => {
    answer += data
  })
  socket.write('POST /internal/row-changes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (let sent = 0; sent < BODY_BYTES; sent += BLOCK_CHUNKS)
    await write(socket, '1\r\na\r\n'.repeat(BLOCK_CHUNKS))
  socket.write('0\r\n\r\n')
  await expect.poll(() => answer, { timeout: 120_000 }).toMatch(/^HTTP\/1.1 401 /)
  expect(memory() - before).toBeLessThan(200)
  socket.destroy()
})

async function write(socket: Socket, text: string): Promise<void> {
  if (!socket.write(text)) await once(socket, 'drain')
}
