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
  /** API keys that the requests send in turns. */
  keys?: readonly string[]
}

export interface LoadOptions {
  connections: number
  seconds: number
  rounds: number
  /** Servers whose time is taken per request, each with what it starts, by the name that the table shows. */
  processes: Record<string, number>
}

/** What a load generator has seen. */
export interface Load {
  requestsPerSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** One round of one target. */
export interface Round extends Load {
  /** Microseconds of processor time per request, by server. */
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

/** Asks for this many seconds on this many connections. Rejects when answers are errors. */
export type Generator = (target: Target, connections: number, seconds: number) => Promise<Load>

export async function loadGenerator(): Promise<Generator> {
  return (await hasWrk()) ? wrk : cannon
}

async function measure(generator: Generator, target: Target, options: LoadOptions): Promise<Round> {
  const [names, pids] = [Object.keys(options.processes), Object.values(options.processes)]
  const before = cpuSeconds(pids)
  const load = await generator(target, options.connections, options.seconds)
  const after = cpuSeconds(pids)
  const requests = load.requestsPerSecond * options.seconds
  const microsOf = (i: number) => (((after[i] ?? 0) - (before[i] ?? 0)) / requests) * 1e6
  return { ...load, cpuMicros: Object.fromEntries(names.map((name, i) => [name, microsOf(i)])) }
}

/** A benchmark of error answers would look splendid. */
async function checkAnswers({ url, headers, body }: Target): Promise<void> {
  const response = await fetch(url, { headers, ...(body === undefined ? {} : { method: 'POST', body }) })
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
}

async function hasWrk(): Promise<boolean> {
  return run('wrk', ['--version']).then(
    () => true,
    err => err.code === 1,
  )
}

async function wrk(target: Target, connections: number, seconds: number): Promise<Load> {
  const { url, headers, body, keys } = target
  const script = join(tmpdir(), `quoin-bench-${process.pid}.lua`)
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`)
  if (body !== undefined) lines.push('wrk.method = "POST"', `wrk.body = ${lua(body)}`)
  if (keys !== undefined) lines.push(`local keys, at = { ${keys.map(lua).join(', ')} }, 0`, NEXT_KEY)
  await writeFile(script, lines.join('\n'), { mode: 0o600 })
  const flags = ['-t1', '--latency', `-c${connections}`, `-d${seconds}s`]
  const { stdout } = await run('wrk', [...flags, '-s', script, url])
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} answered errors under load:\n${stdout}`)
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50: millisecondsOf(stdout, '50%'),
    p99: millisecondsOf(stdout, '99%'),
  }
}

/** A Lua string: JSON's escapes are Lua's, for the printable text that is sent here. */
const lua = (text: string) => JSON.stringify(text)

const NEXT_KEY = `request = function()
  at = at % #keys + 1
  wrk.headers['apikey'] = keys[at]
  return wrk.format()
end`

const MILLISECONDS: Record<string, number> = { us: 1e-3, ms: 1, s: 1e3 }

/** A line of `--latency`, such as `     50%    1.34ms`. */
function millisecondsOf(text: string, percentile: string): number {
  const [, figure, unit = ''] =
    new RegExp(`^\\s+${percentile}\\s+([\\d.]+)(us|ms|s)\\s*$`, 'm').exec(text) ?? []
  return Number(figure) * (MILLISECONDS[unit] ?? Number.NaN)
}

async function cannon(target: Target, connections: number, duration: number): Promise<Load> {
  const { url, headers, body, keys } = target
  const request = body === undefined ? {} : { method: 'POST' as const, body }
  const requests = keys?.map(apikey => ({ headers: { ...headers, apikey } }))
  const options = { url, headers, connections, duration, ...request, ...(requests && { requests }) }
  const result = await autocannon(options)
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url} answered ${result.non2xx} errors under load`)
  const { p50, p99 } = result.latency
  return { requestsPerSecond: result.requests.average, p50, p99 }
}
