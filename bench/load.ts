// Load: `wrk` where it is installed, since it takes the least of the processor itself; else autocannon from npm.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { cpuSeconds } from './cpu.ts'

const run = promisify(execFile)

export interface Target {
  /** Who answers. */
  name: string
  /** What is asked for; targets that ask for the same are compared. */
  what: string
  url: string
  headers: Record<string, string>
  /** Makes it a POST. */
  body?: string
}

export interface LoadOptions {
  connections: number
  seconds: number
  rounds: number
  /** Processes whose time is taken per request, by the name that the table shows. */
  processes: Record<string, number>
}

/** One round of one target. */
export interface Round {
  requestsPerSecond: number
  /** Microseconds of processor time per request, by process. */
  cpuMicros: Record<string, number>
}

export interface Measured {
  target: Target
  rounds: Round[]
}

/** Every target once a round, rounds after each other, so that a slow minute of the machine meets all of them. */
export async function measureInTurns(targets: Target[], options: LoadOptions): Promise<Measured[]> {
  const measured = targets.map(target => ({ target, rounds: [] as Round[] }))
  const generator = await loadGenerator()
  for (const target of targets) {
    await checkAnswers(target)
    await generator(target, options.connections, 1)
  }
  for (let round = 1; round <= options.rounds; round++) {
    for (const one of measured) {
      process.stderr.write(`round ${round} of ${options.rounds}: ${one.target.what}, ${one.target.name}\n`)
      one.rounds.push(await measure(generator, one.target, options))
    }
  }
  return measured
}

/** Asks for this many seconds on this many connections; answers requests a second. Rejects when answers are errors. */
export type Generator = (target: Target, connections: number, seconds: number) => Promise<number>

export async function loadGenerator(): Promise<Generator> {
  return (await hasWrk()) ? wrk : cannon
}

async function measure(generator: Generator, target: Target, options: LoadOptions): Promise<Round> {
  const before = Object.values(options.processes).map(cpuSeconds)
  const requestsPerSecond = await generator(target, options.connections, options.seconds)
  const requests = requestsPerSecond * options.seconds
  const cpuMicros = Object.entries(options.processes).map(
    ([name, pid], index) => [name, ((cpuSeconds(pid) - (before[index] ?? 0)) / requests) * 1e6] as const,
  )
  return { requestsPerSecond, cpuMicros: Object.fromEntries(cpuMicros) }
}

/** A benchmark of error answers would look splendid. */
async function checkAnswers({ url, headers, body }: Target): Promise<void> {
  const response = await fetch(url, { headers, ...(body === undefined ? {} : { method: 'POST', body }) })
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
}

async function hasWrk(): Promise<boolean> {
  return run('wrk', ['--version']).then(
    () => true,
    err => err.code === 1,
  )
}

async function wrk({ url, headers, body }: Target, connections: number, seconds: number): Promise<number> {
  const script = join(tmpdir(), `quoin-bench-${process.pid}.lua`)
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`)
  if (body !== undefined) lines.push('wrk.method = "POST"', `wrk.body = ${lua(body)}`)
  await writeFile(script, lines.join('\n'), { mode: 0o600 })
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url])
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} answered errors under load:\n${stdout}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

/** A Lua string: JSON's escapes are Lua's, for the printable text that is sent here. */
const lua = (text: string) => JSON.stringify(text)

async function cannon(
  { url, headers, body }: Target,
  connections: number,
  duration: number,
): Promise<number> {
  const request = body === undefined ? {} : { method: 'POST' as const, body }
  const result = await autocannon({ url, headers, connections, duration, ...request })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url} answered ${result.non2xx} errors under load`)
  return result.requests.average
}
