// Are the ports free that the stack wants, and who says so when not.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { PORTS, type PortKey, type StackOptions } from './options.ts'
import { StackError } from './output.ts'

export const LOOPBACK = '127.0.0.1'

/**
 * Where free ports are taken from: below those that the system itself gives to whoever asks for any (on Linux from
 * 32768 on). The system could give away a port of its own range again before it is used.
 */
const FREE = { from: 20_000, below: 32_768 }
const FREE_TRIES_MAX = 1_000

/**
 * The ports to use: those asked for, checked to be free, or any free ones. Throws a `StackError` naming one that is
 * taken.
 */
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
  return (
    `port ${port}, wanted for ${what}, is taken by another program: end that one, choose another port ` +
    `with ${flag}${variable}, or take free ones for everything with --free-ports`
  )
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

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const [port] = await findFreePorts(1)
  return port
}

/** Ports one after the other, from wherever chance says: programs that start at once do not ask for the same. */
async function findFreePorts(count: number): Promise<[number, ...number[]]> {
  for (let tries = 0; tries < FREE_TRIES_MAX; tries++) {
    const first = randomInt(FREE.from, FREE.below - count)
    const others = Array.from({ length: count - 1 }, (_, index) => first + 1 + index)
    const areFree = await Promise.all([first, ...others].map(isFree))
    if (!areFree.includes(false)) return [first, ...others]
  }
  throw new StackError(`no ${count} ports in a row are free from ${FREE.from} to ${FREE.below - 1}`)
}
