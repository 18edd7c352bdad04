import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { readOptions } from '../../../local/options.ts'
import { choosePorts, freePort, LOOPBACK } from '../../../local/ports.ts'

// Else the system gives one of them to another program that asks for any, before the stack has started what it is for.
test('free ports are none that the system hands out by itself, and no two of a stack are the same', async () => {
  const options = readOptions(['--free-ports'], {}) ?? expect.fail()
  const names = ['postgres', 'gateway', 'worker', 'listener'] as const
  const chosen = await choosePorts(options, names, {}, () => {})
  const ports = names.map(name => chosen[name])
  expect(new Set(ports).size).toBe(names.length)
  for (const port of [...ports, await freePort()]) {
    expect(port).toBeGreaterThan(1_024)
    expect(port).toBeLessThan(32_768)
  }
})

test('a port that is taken is named, with the variable that chooses another', async () => {
  const server = createServer().listen(0, LOOPBACK)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const options = readOptions([], { QUOIN_GATEWAY_PORT: String(port) }) ?? expect.fail()
  await expect(choosePorts(options, ['gateway'], {}, () => {})).rejects.toThrow(
    new RegExp(`port ${port}, .* is taken .*QUOIN_GATEWAY_PORT`),
  )
  server.close()
})

test('free ports are those of the last start, but for one that is taken meanwhile: that one is named', async () => {
  const options = readOptions(['--free-ports'], {}) ?? expect.fail()
  const names = ['postgres', 'gateway', 'worker'] as const
  const last = await choosePorts(options, names, {}, () => expect.fail())
  expect(await choosePorts(options, names, last, () => expect.fail())).toEqual(last)
  const server = createServer().listen(last.gateway, LOOPBACK)
  await once(server, 'listening')
  const lines: string[] = []
  const next = await choosePorts(options, names, last, line => lines.push(line))
  server.close()
  expect(next).toMatchObject({ postgres: last.postgres, worker: last.worker })
  expect(new Set(names.map(name => next[name])).size).toBe(names.length)
  expect(lines).toEqual([
    `port ${last.gateway} of the last start is taken: the SQL gateway is on ${next.gateway} now`,
  ])
})
