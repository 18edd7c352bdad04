// What all programs of the command line do around their work: an error is one paragraph and exit code 1.

import { DatabaseError } from 'pg'
import { DomainError } from '../../src/errors.ts'
import { errorText } from './wait.ts'

/** Runs a program. What it throws goes to standard error, without a stack. */
export function runCommand(main: () => Promise<void>): void {
  main().catch(err => {
    const more = err instanceof DatabaseError || err instanceof DomainError ? [err.detail, err.hint] : []
    process.stderr.write(`quoin: ${[errorText(err), ...more].filter(Boolean).join('\n')}\n`)
    process.exit(1)
  })
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
