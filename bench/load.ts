// Load: `wrk` where it is installed, since it takes the least of the processor itself; else autocannon from npm.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import autocannon from 'autocannon'

const run = promisify(execFile)

export interface Target {
  name: string
  what: string
  url: string
  headers: Record<string, string>
}

export interface LoadOptions {
  connections: number
  seconds: number
  rounds: number
}

export interface Measured {
  target: Target
  /** One figure a round, in requests a second. */
  requestsPerSecond: number[]
}

/** Every target once a round, rounds after each other, so that a slow minute of the machine meets all of them. */
export async function measureInTurns(targets: Target[], options: LoadOptions): Promise<Measured[]> {
  const measured = targets.map(target => ({ target, requestsPerSecond: [] as number[] }))
  const generator = (await hasWrk()) ? wrk : cannon
  for (const target of targets) {
    await checkAnswers(target)
    await generator(target, { ...options, seconds: 1 })
  }
  for (let round = 1; round <= options.rounds; round++) {
    for (const one of measured) {
      one.requestsPerSecond.push(await generator(one.target, options))
      process.stderr.write(
        `\rround ${round} of ${options.rounds}: ${one.target.name}, ${one.target.what}          `,
      )
    }
  }
  process.stderr.write('\n')
  return measured
}

/** A benchmark of error answers would look splendid. */
async function checkAnswers({ url, headers }: Target): Promise<void> {
  const response = await fetch(url, { headers })
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
}

async function hasWrk(): Promise<boolean> {
  return run('wrk', ['--version']).then(
    () => true,
    err => err.code === 1,
  )
}

async function wrk({ url, headers }: Target, { connections, seconds }: LoadOptions): Promise<number> {
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...headerArguments, url])
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} answered errors under load:\n${stdout}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

async function cannon({ url, headers }: Target, { connections, seconds }: LoadOptions): Promise<number> {
  const result = await autocannon({ url, headers, connections, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url} answered ${result.non2xx} errors under load`)
  return result.requests.average
}
