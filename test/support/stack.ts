// Starts `npm run dev`'s own program in a folder and on ports of its own. As Vitest's global setup it does so once for
// all tests that need the whole stack. It provides the stack's facts under `stack`, and ends the stack when the tests
// are over.
//
// With OAUTH_PUBLIC_URL and OAUTH_ADMIN_URL (and OAUTH_DATABASE_URL), or IDENTITY_PUBLIC_URL and IDENTITY_ADMIN_URL, or
// PERMISSION_READ_URL and PERMISSION_WRITE_URL (and PERMISSION_ADMIN_TOKEN), in the environment, the stack stands on
// those servers instead of its own. They run with `--dev`, as docs/deploy.md says, with `http://127.0.0.1:8787` (or
// QUOIN_PORT) as the Worker's address, the permission server on `permissions/namespaces.ts`. What
// test/support/oauth-server.ts says of registration and CORS holds too.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import { devFilePath, readDevFile, type StackFacts } from '../../cli/support/dev-file.ts'
import { PROJECT_DIR } from '../../cli/support/project.ts'
import { PORTS } from '../../local/options.ts'
import { seedPeople } from '../../local/people.ts'
import { freePorts } from '../../local/ports.ts'
import { Variables } from '../../src/config.ts'
import { makeWithCluster } from './cluster.ts'
import { PASSWORD } from './identity-visitor.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The facts of the running stack: `inject('stack')` in a test. */
    stack: StackFacts
  }
}

const START_DEADLINE_MS = 120_000
const END_DEADLINE_MS = 30_000

export interface RunningStack {
  readonly facts: StackFacts
  readonly dataDir: string
  readonly child: ChildProcess
  /** What it has printed until now. */
  output(): string
  /** Ends it as Ctrl-C would; answers the exit code. The folder stays. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface StackSettings {
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly user?: { readonly uid: number; readonly gid: number }
  /** True: with the dashboard, which takes 3 s to build. */
  readonly dashboard?: boolean
  /** True: an edit is taken up, as a user's stack does; nobody's edit must disturb other tests. */
  readonly watches?: boolean
  /** True: the ports are those of `env` and the defaults, for tests of what happens when one is taken. */
  readonly onOwnPorts?: boolean
}

/** A folder for one stack; open to others, since as root the user `postgres` must pass through it. */
export function makeStackFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-test-'))
  chmodSync(folder, 0o755)
  return folder
}

/** Starts a stack whose data is in `dataDir`, and waits until it is ready; throws with its output when it is not. */
export async function startStack(dataDir: string, settings: StackSettings = {}): Promise<RunningStack> {
  const { child, output } = spawnStack(dataDir, settings)
  const exited = once(child, 'exit')
  const endsAt = performance.now() + START_DEADLINE_MS
  while (!isReady(dataDir, child)) {
    if (child.exitCode !== null || performance.now() > endsAt) {
      child.kill('SIGTERM')
      throw new Error(`the stack does not start (exit code ${child.exitCode}):\n${output()}`)
    }
    await delay(50)
  }
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), END_DEADLINE_MS)
    await exited
    clearTimeout(timer)
    return child.exitCode
  }
  return { facts: readDevFile(dataDir), dataDir, child, output, stop }
}

/** The facts of an earlier stack that was killed may still be there, or be gone a moment later. */
function isReady(dataDir: string, child: ChildProcess): boolean {
  if (!existsSync(devFilePath(dataDir))) return false
  try {
    return readDevFile(dataDir).pids.main === child.pid
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw err
  }
}

/** Starts a stack without waiting for it, for tests of what it says when it cannot start. */
export function spawnStack(dataDir: string, settings: StackSettings = {}) {
  const { args = [], env, cwd = PROJECT_DIR, user, onOwnPorts, watches, dashboard } = settings
  const flags = [
    ...(onOwnPorts ? [] : ['--free-ports']),
    ...(watches ? [] : ['--no-watch']),
    ...(dashboard ? [] : ['--no-dashboard']),
  ]
  const program = join(cwd, 'local', 'main.ts')
  const child = spawn(process.execPath, [program, ...flags, '--data-dir', dataDir, ...args], {
    cwd,
    env: { ...withoutOwnChoices(process.env, onOwnPorts === true), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return { child, output: () => text }
}

/** A developer's own variables must not decide what the tests run against. */
function withoutOwnChoices(env: NodeJS.ProcessEnv, keepsPorts: boolean): NodeJS.ProcessEnv {
  const ports = keepsPorts ? [] : Object.values(PORTS).map(({ variable }) => variable)
  const ours = new Set([...Object.keys(Variables.shape), ...ports])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.has(name)))
}

/**
 * All tests call from one address, and beside others a call takes longer than alone; what the limits are for is tested
 * on a Worker with its own.
 */
const ROOMY = {
  API_RATE_LIMIT_PER_MINUTE: '1000000',
  CONSENT_RATE_LIMIT_PER_MINUTE: '1000000',
  ANON_STATEMENT_TIMEOUT_MS: '6000',
  REALTIME_SOCKETS_PER_ADDRESS: '2000',
}
/** Without it every receiver's certificate were bad for one and the same reason: wrangler hands it on to workerd. */
const TRUSTING = { NODE_EXTRA_CA_CERTS: join(PROJECT_DIR, 'test/support/certificates/authority.pem') }

/** The projects of vitest.config.ts whose tests find a stack running. */
const ON_STACK = ['worker', 'objects', 'contract', 'browser', 'stand-ins']

/** Those that send browsers to the Worker, and what else there is to know of outside servers. */
const BROWSER_SERVERS = ['OAUTH_PUBLIC_URL', 'OAUTH_ADMIN_URL', 'IDENTITY_PUBLIC_URL', 'IDENTITY_ADMIN_URL']
const MORE_OF_SERVERS = [
  'OAUTH_DATABASE_URL',
  'PERMISSION_READ_URL',
  'PERMISSION_WRITE_URL',
  'PERMISSION_ADMIN_TOKEN',
]

/** How the stack starts: on servers that run elsewhere, where browsers are sent back to a Worker at a known port. */
async function settingsOf(env: NodeJS.ProcessEnv): Promise<StackSettings> {
  const named = [...BROWSER_SERVERS, ...MORE_OF_SERVERS].flatMap(name =>
    env[name] ? [[name, env[name]]] : [],
  )
  const common = { ...ROOMY, ...TRUSTING, ...Object.fromEntries(named) }
  if (!BROWSER_SERVERS.some(name => env[name])) return { env: common }
  const { [PORTS.worker.variable]: _, ...ports } = await freePortVariables()
  return { onOwnPorts: true, env: { ...common, ...ports } }
}

/** A free port for each part of a stack. */
async function freePortVariables(): Promise<Record<string, string>> {
  const names = Object.values(PORTS).map(({ variable }) => variable)
  const ports = await freePorts(names.length)
  return Object.fromEntries(names.map((name, i) => [name, String(ports[i])]))
}

/** The facts with two who can sign in, also at an identity provider that runs elsewhere. */
async function withPeople(facts: StackFacts): Promise<StackFacts> {
  const { identity_public_url: publicUrl, identity_admin_url: adminUrl } = facts
  if (facts.session_cookie_admin !== null || publicUrl === null || adminUrl === null) return facts
  const { admin, user } = await seedPeople(
    { publicUrl, adminUrl },
    { admin_password: PASSWORD, user_password: PASSWORD },
  )
  return {
    ...facts,
    admin_identity_id: admin.identityId,
    admin_email: admin.email,
    admin_password: admin.password,
    session_cookie_admin: admin.sessionCookie,
    user_identity_id: user.identityId,
    user_email: user.email,
    user_password: user.password,
    session_cookie_user: user.sessionCookie,
  }
}

// Vitest takes the setup from the default export.
export default async function setup(root: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!root.vitest.projects.some(({ name }) => ON_STACK.includes(name))) return undefined
  const dataDir = join(makeStackFolder(), 'stack')
  await makeWithCluster(dataDir)
  const dashboard = root.vitest.projects.some(({ name }) => name === 'browser')
  const stack = await startStack(dataDir, { ...(await settingsOf(process.env)), dashboard })
  root.provide('stack', await withPeople(stack.facts))
  return async () => {
    await stack.stop()
  }
}
