// What the local stack says on the terminal: one line per step with its time, and one line for what is wrong.
// Holds no decisions. A terminal that has been closed must not end the process before it has ended its children.

/** Something the user can put right. The message is one line: what is wrong, where, what to do. */
export class StackError extends Error {
  override name = 'StackError'
}

export interface Output {
  /** A step that has been done, with the time since the start. */
  step(text: string): void
  /** A step that is under way, for those that can take seconds. */
  progress(text: string): void
  /** Lines for the user to read, without a time. */
  say(text: string): void
  /** What is wrong; printed even when quiet. */
  problem(text: string): void
  elapsedSeconds(): string
}

/** Output on stdout and stderr; `quiet` leaves only the problems. */
export function createOutput(quiet: boolean): Output {
  const startedAt = performance.now()
  const elapsedSeconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  // After the terminal is closed every write fails; the signal that comes with it ends the stack in order.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const print = (line: string) => {
    if (!quiet) process.stdout.write(`${line}\n`)
  }
  return {
    step: text => print(`${elapsedSeconds().padStart(6)} s  ${text}`),
    progress: text => print(`${' '.repeat(10)}${text} ...`),
    say: print,
    problem: text => process.stderr.write(`quoin: ${text}\n`),
    elapsedSeconds,
  }
}
