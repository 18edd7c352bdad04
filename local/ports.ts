// Are the ports free that the stack wants, and who says so when not. Free ones that were chosen once are kept in
// `ports.json`: what a user has registered or bookmarked is there after the next start too.

import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import * as z from 'zod'
import { StackError } from '../cli/support/output.ts'
import { writePrivateFile } from '../cli/support/private-file.ts'
import { PORTS, type PortKey, type StackOptions } from './options.ts'

export const LOOPBACK = '127.0.0.1'

/**
 * Where free ports are taken from: below those that the system itself gives to whoever asks for any (on Linux from
 * 32768 on). The system could give away a port of its own range again before it is used.
 */
const FREE = { from: 20_000, below: 32_768 }
const FREE_TRIES_MAX = 1_000

const KnownPorts = z.partialRecord(z.enum(Object.keys(PORTS) as PortKey[]), z.int().min(1).max(65_535))
type KnownPorts = z.infer<typeof KnownPorts>

/**
 * The ports to use: those asked for, checked to be free, or any free ones. Throws a `StackError` naming one that is
 * taken. Of free ones those of the `last` start are used again; `say` hears of each that is taken meanwhile.
 */
export async function choosePorts(
  options: StackOptions,
  wanted: readonly PortKey[],
  last: KnownPorts,
  say: (line: string) => void,
): Promise<Record<PortKey, number>> {
  if (options.freePorts) return { ...options.ports, ...(await chooseFreePorts(wanted, last, say)) }
  for (const key of wanted) {
    const port = options.ports[key]
    if (!(await isFree(port))) throw new StackError(takenMessage(key, port))
  }
  return { ...options.ports }
}

async function chooseFreePorts(
  wanted: readonly PortKey[],
  last: KnownPorts,
  say: (line: string) => void,
): Promise<KnownPorts> {
  const chosen: KnownPorts = {}
  for (const key of wanted) {
    const port = last[key]
    if (port !== undefined && (await isFree(port))) chosen[key] = port
  }
  const missing = wanted.filter(key => chosen[key] === undefined)
  const first = await findFreePorts(missing.length, Object.values(chosen))
  missing.forEach((key, index) => {
    chosen[key] = first + index
    if (last[key] !== undefined)
      say(`port ${last[key]} of the last start is taken: ${PORTS[key].what} is on ${chosen[key]} now`)
  })
  return chosen
}

/** The free ports of the last start in this folder; none when there was none. */
export function readLastPorts(dataDir: string): KnownPorts {
  try {
    return KnownPorts.parse(JSON.parse(readFileSync(portsFile(dataDir), 'utf8')))
  } catch {
    // Not there, or of an earlier version: then they are chosen anew.
    return {}
  }
}

export function writeLastPorts(dataDir: string, ports: KnownPorts): void {
  writePrivateFile(portsFile(dataDir), JSON.stringify(ports, undefined, 2))
}

function portsFile(dataDir: string): string {
  return join(dataDir, 'ports.json')
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
export function freePort(): Promise<number> {
  return findFreePorts(1, [])
}

/** Different ports that nobody listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const first = await findFreePorts(count, [])
  return Array.from({ length: count }, (_, index) => first + index)
}

/**
 * The first of `count` free ports in a row, from wherever chance says: programs that start at once do not ask for the
 * same.
 */
async function findFreePorts(count: number, except: readonly number[]): Promise<number> {
  for (let tries = 0; tries < FREE_TRIES_MAX; tries++) {
    const first = randomInt(FREE.from, FREE.below - count)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const areFree = await Promise.all(ports.map(port => !except.includes(port) && isFree(port)))
    if (!areFree.includes(false)) return first
  }
  throw new StackError(`no ${count} ports in a row are free from ${FREE.from} to ${FREE.below - 1}`)
}
