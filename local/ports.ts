// Are the ports free that the stack wants, and who says so when not.

import { createServer } from 'node:net'
import { PORTS, type PortKey, type StackOptions } from './options.ts'
import { StackError } from './output.ts'

export const LOOPBACK = '127.0.0.1'

/** The ports to use: those asked for, checked to be free, or any free ones. Throws a `StackError` naming one that is taken. */
export async function choosePorts(
  options: StackOptions,
  wanted: readonly PortKey[],
): Promise<Record<PortKey, number>> {
  const ports = { ...options.ports }
  if (options.freePorts) {
    const free = await findFreePorts(wanted.length)
    wanted.forEach((key, index) => {
      ports[key] = free[index] ?? ports[key]
    })
    return ports
  }
  for (const key of wanted) {
    if (!(await isFree(ports[key]))) throw new StackError(takenMessage(key, ports[key]))
  }
  return ports
}

function takenMessage(key: PortKey, port: number): string {
  const { what, variable } = PORTS[key]
  const flag = key === 'worker' ? '--port or ' : ''
  return `port ${port}, wanted for ${what}, is taken by another program: end that one, or choose another port with ${flag}${variable}`
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (err: NodeJS.ErrnoException) => {
      if (err.code === 'EADDRINUSE') resolve(false)
      else if (err.code === 'EACCES') resolve(false)
      else reject(err)
    })
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)))
  })
}

/** All are held open until the last is found, so that they differ. */
async function findFreePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    probes.map(
      probe =>
        new Promise<number>((resolve, reject) => {
          probe.once('error', reject)
          probe.listen(0, LOOPBACK, () => {
            const address = probe.address()
            if (address === null || typeof address === 'string') reject(new Error('a TCP server has a port'))
            else resolve(address.port)
          })
        }),
    ),
  )
  await Promise.all(probes.map(probe => new Promise(resolve => probe.close(resolve))))
  return ports
}
