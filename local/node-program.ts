// A program of this project as a child process that serves HTTP: started with its variables, and waited for.

import { join } from 'node:path'
import { PROJECT_DIR } from '../cli/support/project.ts'
import { waitUntil } from '../cli/support/wait.ts'
import type { Children } from './children.ts'
import { probe } from './probe.ts'

const START_DEADLINE_MS = 30_000

export interface NodeProgram {
  /** Of the process, in the output. */
  readonly name: string
  /** Its main file, from the project's folder. */
  readonly file: string
  readonly args?: readonly string[]
  /** Beside those of this process. */
  readonly variables: Readonly<Record<string, string>>
  /** Pages that answer with success as soon as it is ready. */
  readonly readyUrls: readonly string[]
  /** What is waited for, in words: a message says so when it does not happen. */
  readonly what: string
}

/** Starts the program; resolves when it is ready, rejects when it ends before or is not in time. */
export async function startNodeProgram(children: Children, program: NodeProgram): Promise<void> {
  await children.start({
    name: program.name,
    command: process.execPath,
    args: [join(PROJECT_DIR, program.file), ...(program.args ?? [])],
    env: { ...process.env, ...program.variables },
    cwd: PROJECT_DIR,
    endSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
  })
  const { stopped } = children
  await waitUntil({ what: program.what, deadlineMs: START_DEADLINE_MS, stopped }, async () => {
    for (const url of program.readyUrls) await probe(url)
    return true
  })
}
