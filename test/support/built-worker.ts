// The Worker as it would be deployed: built by wrangler once for each state of what it is made of, whoever serves it.

import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { SourcelessWorkerOptions } from 'wrangler'
import { PROJECT_DIR } from '../../cli/support/project.ts'
import { copyProject } from './project-copy.ts'

export interface BuiltWorker {
  readonly folder: string
  /** What wrangler.toml says, without variables. */
  readonly options: SourcelessWorkerOptions
}

/** As `watch_dir` of wrangler.toml has it, what is installed, and how it is read. */
const MADE_OF = [
  '{src,durable-objects,scripts,permissions,migrations}/**/*.*',
  '{wrangler.toml,package*.json,tsconfig*.json}',
]
const BUILDS = join(PROJECT_DIR, 'build', 'worker')
const OPTIONS_FILE = 'options.json'

let found: Promise<BuiltWorker> | undefined

/** Builds in about two seconds where nobody has built this state before. */
export function builtWorker(): Promise<BuiltWorker> {
  found ??= findOrBuild(join(BUILDS, stateOfSources()))
  return found
}

export interface WorkerOfProject extends BuiltWorker {
  /** A copy of the project, with migrations of the test's own. */
  readonly project: string
  remove(): void
}

/** Builds the Worker of a copy of the project whose folder migrations/ has these files too; in about three seconds. */
export async function workerWithMigrations(
  files: Readonly<Record<string, string>>,
): Promise<WorkerOfProject> {
  const project = mkdtempSync(join(tmpdir(), 'quoin-project-'))
  copyProject(project)
  for (const [name, text] of Object.entries(files)) {
    const path = join(project, 'migrations', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const folder = join(project, 'built')
  await buildFrom(project, folder)
  const options = JSON.parse(readFileSync(join(folder, OPTIONS_FILE), 'utf8'))
  return { folder, options, project, remove: () => rmSync(project, { recursive: true }) }
}

async function findOrBuild(folder: string): Promise<BuiltWorker> {
  if (!existsSync(folder)) await build(folder)
  return { folder, options: JSON.parse(readFileSync(join(folder, OPTIONS_FILE), 'utf8')) }
}

function stateOfSources(): string {
  const hash = createHash('sha256')
  for (const path of globSync(MADE_OF, { cwd: PROJECT_DIR }).sort())
    hash.update(`${path}\n`).update(
      createHash('sha256')
        .update(readFileSync(join(PROJECT_DIR, path)))
        .digest(),
    )
  return hash.digest('hex').slice(0, 16)
}

async function build(folder: string): Promise<void> {
  const mine = `${folder}-${randomUUID()}`
  await buildFrom(PROJECT_DIR, mine)
  for (const older of readdirSync(BUILDS).filter(name => !join(BUILDS, name).startsWith(folder)))
    rmSync(join(BUILDS, older), { recursive: true })
  try {
    renameSync(mine, folder)
  } catch (err) {
    // Of two that are as quick, one is thrown away.
    if (!existsSync(folder)) throw err
    rmSync(mine, { recursive: true })
  }
}

async function buildFrom(project: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const program = join(PROJECT_DIR, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const args = [program, 'deploy', '--dry-run', '--outdir', folder]
  const env = { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' }
  const [{ unstable_getMiniflareWorkerOptions }] = await Promise.all([
    import('wrangler'),
    promisify(execFile)(process.execPath, args, { cwd: project, env }),
  ])
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(PROJECT_DIR, 'wrangler.toml'))
  // Without the variables, which may be a developer's own.
  writeFileSync(join(folder, OPTIONS_FILE), JSON.stringify({ ...workerOptions, bindings: {} }))
}
