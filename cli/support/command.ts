// What all programs of the command line do around their work: `--help` says how they are used, and an error is one
// paragraph and exit code 1.

import { DatabaseError } from 'pg'
import { DomainError } from '../../src/errors.ts'
import { errorText } from './wait.ts'

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT']

/** The arguments are not those that the usage names. */
export class UsageError extends Error {}

/**
 * Runs a program, or prints `usage` where `--help` or `-h` is among the arguments. What the program throws goes to
 * standard error, without a stack; a mistake in the arguments has the usage with it.
 */
export function runCommand(usage: string, main: () => Promise<void>): void {
  if (process.argv.slice(2).some(arg => arg === '--help' || arg === '-h')) {
    process.stdout.write(`usage: ${usage}\n`)
    return
  }
  main().catch(err => {
    process.stderr.write(`quoin: ${problemLines(err, usage).filter(Boolean).join('\n')}\n`)
    process.exit(1)
  })
}

function problemLines(err: unknown, usage: string): (string | undefined)[] {
  if (err instanceof UsageError) return [err.message, `usage: ${usage}`]
  if (err instanceof DatabaseError || err instanceof DomainError)
    return [errorText(err), err.detail, err.hint]
  if (isUnreachable(err)) return [`${errorText(err)}: does the database that DATABASE_URL names run?`]
  if (!isOfParseArgs(err)) return [errorText(err)]
  // What Node says behind its first sentence is about arguments that begin with a dash; none of ours do.
  return [err.message.replace(/\. To .*/s, ''), `usage: ${usage}`]
}

/** Where a name has two addresses it is an AggregateError, which has a code too. */
function isUnreachable(err: unknown): boolean {
  return err instanceof Error && 'code' in err && UNREACHABLE.includes(String(err.code))
}

function isOfParseArgs(err: unknown): err is Error {
  return err instanceof Error && 'code' in err && String(err.code).startsWith('ERR_PARSE_ARGS_')
}

/** A line of progress: not among what a script reads from standard output. */
export const logLine = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = (signal: string) => {
    controller.abort(new Error(`stopped by ${signal}`))
    for (const name of SIGNALS) process.removeListener(name, stop)
  }
  const SIGNALS = ['SIGINT', 'SIGTERM'] as const
  for (const name of SIGNALS) process.once(name, stop)
  return controller.signal
}
