// The stack's child processes: each in a process group of its own, so that it can be ended with all that it started.
// Also, none of them sees the terminal's Ctrl-C before we do. The id of each group is kept in a file: what a killed
// stack has left behind is found and ended at the next start.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StackError } from '../cli/support/output.ts'
import { isOfStack, listProcesses, STACK_MARK } from './process-table.ts'

export interface ChildSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The signal that ends it cleanly. */
  readonly endSignal: NodeJS.Signals
  /** The signal that ends it at once. */
  readonly killSignal: NodeJS.Signals
  /** User to run as, when that is not our own. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

export interface Child {
  readonly spec: ChildSpec
  readonly groupId: number
  readonly logFile: string
  /** Set before we end it ourselves; the end of any other child is a failure of the stack. */
  isExpectedToEnd: boolean
}

const LAST_LINES = 8
const END_DEADLINE_MS = 8_000
const KILL_DEADLINE_MS = 3_000
const POLL_INTERVAL_MS = 25

/** All children of one stack, in the order of their start; ended in the opposite order. */
export class Children {
  readonly #dataDir: string
  readonly #running: Child[] = []
  readonly #stop: AbortController

  /** `stop` ends the stack: a child that ends by itself aborts it with a `StackError` as the reason. */
  constructor(dataDir: string, stop: AbortController) {
    this.#dataDir = dataDir
    this.#stop = stop
  }

  /** Aborted when the stack is to end, with the reason: everything that waits must give up. */
  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  get groupIds(): Record<string, number> {
    return Object.fromEntries(this.#running.map(child => [child.spec.name, child.groupId]))
  }

  /**
   * Starts a child with its output in `logs/<name>.log`; throws a `StackError` when it cannot be started at all, and
   * the reason of the stop once the stack is ending.
   */
  async start(spec: ChildSpec): Promise<Child> {
    this.#stop.signal.throwIfAborted()
    const logFile = join(this.#dataDir, 'logs', `${spec.name}.log`)
    const log = openSync(logFile, 'w', 0o600)
    const spawned = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [STACK_MARK]: this.#dataDir },
      stdio: ['ignore', log, log],
      detached: true,
      ...spec.user,
    })
    closeSync(log)
    const groupId = spawned.pid ?? (await rejectUnstarted(spec, spawned))
    const child: Child = { spec, groupId, logFile, isExpectedToEnd: false }
    writeFileSync(this.#pidFile(spec.name), `${groupId}\n`)
    this.#running.push(child)
    spawned.once('exit', (code, signal) => this.#noticeEnd(child, code, signal))
    return child
  }

  /** Ends all children, the youngest first, each with whatever it started; within seconds even when one hangs. */
  async endAll(): Promise<void> {
    for (const child of this.#running.toReversed()) {
      child.isExpectedToEnd = true
      await endGroup(child.groupId, child.spec.endSignal)
      rmSync(this.#pidFile(child.spec.name), { force: true })
    }
    this.#running.length = 0
  }

  /** Kills everything at once: for the second Ctrl-C. */
  killAll(): void {
    for (const child of this.#running) {
      child.isExpectedToEnd = true
      signalGroup(child.groupId, child.spec.killSignal)
      rmSync(this.#pidFile(child.spec.name), { force: true })
    }
  }

  /**
   * Ends what an earlier stack of this folder has left behind, and answers the names of those. Only ours are touched.
   */
  async endLeftovers(): Promise<string[]> {
    const files = readdirSync(this.#dataDir).filter(file => file.endsWith('.pid'))
    const ended: string[] = []
    for (const file of files) {
      const groupId = Number(readFileSync(join(this.#dataDir, file), 'utf8'))
      if (await endOurs(groupId, this.#dataDir)) ended.push(file.slice(0, -'.pid'.length))
      rmSync(join(this.#dataDir, file), { force: true })
    }
    return ended
  }

  #pidFile(name: string): string {
    return join(this.#dataDir, `${name}.pid`)
  }

  #noticeEnd(child: Child, code: number | null, signal: NodeJS.Signals | null): void {
    if (child.isExpectedToEnd) return
    const how = signal === null ? `with code ${code}` : `by ${signal}`
    this.#stop.abort(
      new StackError(
        `${child.spec.name} ended ${how}; the last lines of ${child.logFile}:\n${lastLines(child.logFile)}`,
      ),
    )
  }
}

/** The last lines of a log, indented; a sentence when there are none. */
export function lastLines(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LAST_LINES)
  return lines.join('') === '' ? '  (nothing was logged)' : lines.map(line => `  ${line}`).join('\n')
}

function rejectUnstarted(spec: ChildSpec, spawned: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    spawned.once('error', err => reject(new StackError(`${spec.name} cannot be started: ${err.message}`)))
  })
}

async function endGroup(groupId: number, endSignal: NodeJS.Signals): Promise<void> {
  signalGroup(groupId, endSignal)
  if (await isGroupGone(groupId, END_DEADLINE_MS)) return
  signalGroup(groupId, 'SIGKILL')
  await isGroupGone(groupId, KILL_DEADLINE_MS)
}

async function endOurs(groupId: number, dataDir: string): Promise<boolean> {
  const ours = () => listProcesses().filter(entry => entry.groupId === groupId && isOfStack(entry, dataDir))
  const found = ours()
  // SIGINT is the fast shutdown of Postgres; everything else ends on it too.
  for (const { pid } of found) signalProcess(pid, 'SIGINT')
  await goneWithin(END_DEADLINE_MS, ours)
  for (const { pid } of ours()) signalProcess(pid, 'SIGKILL')
  await goneWithin(KILL_DEADLINE_MS, ours)
  return found.length > 0
}

async function isGroupGone(groupId: number, deadlineMs: number): Promise<boolean> {
  const endsAt = performance.now() + deadlineMs
  while (performance.now() < endsAt) {
    // A group of which only zombies are left is still there for kill(), but not in the table.
    if (!signalGroup(groupId, 0) || !listProcesses().some(entry => entry.groupId === groupId)) return true
    await delay(POLL_INTERVAL_MS)
  }
  return false
}

async function goneWithin(deadlineMs: number, list: () => readonly unknown[]): Promise<void> {
  const endsAt = performance.now() + deadlineMs
  while (performance.now() < endsAt && list().length > 0) await delay(POLL_INTERVAL_MS)
}

/** False when there is nobody left in the group. */
function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  return signalProcess(-groupId, signal)
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // ESRCH: it has ended meanwhile. EPERM cannot be: what we started we may signal.
    return false
  }
}
