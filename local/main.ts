// `npm run dev`: everything that Quoin needs, on this machine, with one command. This file is the order of things: that
// a folder has one stack, and that everything ends together, whatever ends first. stack.ts starts the parts.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeDevFile } from '../cli/support/dev-file.ts'
import { createOutput, type Output, StackError } from '../cli/support/output.ts'
import { errorText } from '../cli/support/wait.ts'
import { Children } from './children.ts'
import { lockFolder } from './folder-lock.ts'
import { machineFault } from './machine-faults.ts'
import { readOptions, type StackOptions, USAGE } from './options.ts'
import { removeSocketFolder } from './postgres-files.ts'
import { EndRequest, listenForEnd } from './signals.ts'
import { startStack } from './stack.ts'

/** Runs until it is told to end or a child dies; answers the exit code. */
async function main(): Promise<number> {
  const output = createOutput(process.argv.includes('--quiet'))
  let dataDir = ''
  try {
    const options = readOptions(process.argv.slice(2), process.env)
    if (options === undefined) {
      process.stdout.write(`${USAGE}\n`)
      return 0
    }
    dataDir = options.dataDir
    makeFolders(dataDir)
    lockFolder(dataDir)
    return await runUntilStopped(options, output)
  } catch (err) {
    return report(err, dataDir, output)
  }
}

async function runUntilStopped(options: StackOptions, output: Output): Promise<number> {
  const stop = new AbortController()
  const children = new Children(options.dataDir, stop)
  listenForEnd(stop, output, () => children.killAll())
  process.on('uncaughtException', err => stop.abort(err))
  removeDevFile(options.dataDir)
  try {
    await Promise.race([startStack(options, output, children), rejectOnAbort(stop.signal)])
    await rejectOnAbort(stop.signal)
    return 0
  } catch (err) {
    stop.abort(err)
    return report(err, options.dataDir, output)
  } finally {
    removeDevFile(options.dataDir)
    await children.endAll()
    removeSocketFolder(options.dataDir)
  }
}

function report(err: unknown, dataDir: string, output: Output): number {
  if (err instanceof EndRequest) return 0
  const stack = err instanceof Error && !(err instanceof StackError) ? err.stack : undefined
  output.problem(machineFault(err, dataDir) ?? stack ?? errorText(err))
  return 1
}

/**
 * Traversable, since another user runs Postgres below it when this is root; what holds secrets has modes of its own.
 */
function makeFolders(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 })
    mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 })
  } catch (err) {
    throw new StackError(
      machineFault(err, dataDir) ??
        `${dataDir} cannot be used (${errorText(err)}): choose another folder with --data-dir`,
    )
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const rejectNow = () => reject(signal.reason)
    if (signal.aborted) rejectNow()
    else signal.addEventListener('abort', rejectNow, { once: true })
  })
}

process.exit(await main())
