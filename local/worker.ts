// The Worker under `wrangler dev`, as the toolchain needs it: no prompt, no outside connection, all its state and logs
// in the stack's folder, a date and flags from wrangler.toml.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { writePrivateFile } from '../cli/support/private-file.ts'
import { PROJECT_DIR } from '../cli/support/project.ts'
import { waitUntil } from '../cli/support/wait.ts'
import { Variables } from '../src/config.ts'
import type { Children } from './children.ts'
import { LOOPBACK } from './ports.ts'
import { probe } from './probe.ts'

const START_DEADLINE_MS = 45_000
const KEYED_PROBE_INTERVAL_MS = 1_000
/** wrangler watches always; its watcher (chokidar) can be told by its environment to look every 24 days. */
const WITHOUT_WATCHING = { CHOKIDAR_USEPOLLING: '1', CHOKIDAR_INTERVAL: String(2 ** 31 - 1) }
/**
 * Left to itself, workerd's V8 lets native objects (calls, fetches, cursors of SQL) gather. Then it takes them apart
 * all at once, and stands still for up to 180 ms. With this, each collection takes all there is: 3 to 40 ms, at the
 * same cost altogether.
 */
const WHOLE_COLLECTIONS = '--gc-global'

export interface WorkerSettings {
  readonly dataDir: string
  readonly port: number
  /** What the stack decides; every other variable of the Worker is taken from our own environment. */
  readonly variables: Readonly<Record<string, string>>
  /** True: an edit of the source is there about a second later. */
  readonly watches?: boolean
}

/** Starts the Worker; `waitForWorker` says when it answers. */
export async function startWorker(children: Children, settings: WorkerSettings): Promise<void> {
  const envFile = join(settings.dataDir, 'worker.env')
  writePrivateFile(envFile, workerVariables(settings.variables))
  const state = join(settings.dataDir, 'worker')
  await children.start({
    name: 'worker',
    command: process.execPath,
    args: [
      ...[wranglerProgram(), 'dev', '--config', join(PROJECT_DIR, 'wrangler.toml')],
      ...['--port', String(settings.port), '--ip', LOOPBACK, '--inspector-port', '0'],
      ...['--persist-to', state, '--env-file', envFile],
      ...['--show-interactive-dev-session=false', '--log-level', 'warn'],
    ],
    env: {
      ...process.env,
      CI: '1',
      // wrangler's page for looking into Durable Objects would let anybody on this machine read limiters without a key.
      X_LOCAL_EXPLORER: 'false',
      // Its traces of every call, fetch and statement cost more than those, and are kept.
      X_LOCAL_OBSERVABILITY: 'false',
      MINIFLARE_WORKERD_V8_FLAGS: WHOLE_COLLECTIONS,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      // wrangler ends when an editor puts a new wrangler.toml in the old one's place: what it says needs a new start.
      WRANGLER_CI_DISABLE_CONFIG_WATCHING: 'true',
      XDG_CONFIG_HOME: join(settings.dataDir, 'config'),
      ...(!settings.watches && WITHOUT_WATCHING),
    },
    cwd: PROJECT_DIR,
    endSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
  })
}

/**
 * Waits until the Worker is there, then until it answers a caller with this key; the key's allowance is hardly
 * touched.
 */
export async function waitForWorker(children: Children, baseUrl: string, apiKey: string): Promise<void> {
  const wait = { deadlineMs: START_DEADLINE_MS, stopped: children.stopped }
  const isThere = () => probe(`${baseUrl}/healthz`)
  const answers = () => probe(`${baseUrl}/v1/status`, { apikey: apiKey })
  await waitUntil({ ...wait, what: 'the Worker starts (its log: logs/worker.log)' }, isThere)
  await waitUntil({ ...wait, what: 'GET /v1/status answers', intervalMs: KEYED_PROBE_INTERVAL_MS }, answers)
}

/** Where neither the stack nor our environment says anything: a receiver in development is on this machine. */
const BY_DEFAULT = { ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' }

/** Names of variables that somebody has set to something else than what the stack decides. */
export function overruledVariables(
  decided: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): string[] {
  return Object.keys(decided).filter(name => env[name] && env[name] !== decided[name])
}

function workerVariables(decided: Readonly<Record<string, string>>): string {
  const inherited = Object.keys(Variables.shape).flatMap(name => {
    const value = process.env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  const variables = Object.entries({ ...BY_DEFAULT, ...Object.fromEntries(inherited), ...decided })
  return variables.map(([name, value]) => `${name}='${escapeEnvValue(value)}'`).join('\n')
}

/** Values are URLs, numbers and names: what an env file would interpret is written as a URL would write it. */
function escapeEnvValue(value: string): string {
  return value.replace(/['$\\\n\r]/g, char => encodeURIComponent(char).replace("'", '%27'))
}

function wranglerProgram(): string {
  const require = createRequire(import.meta.url)
  return join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js')
}
