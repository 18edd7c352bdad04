// The built bundle in workerd itself. Never through `wrangler dev`: its proxy alone stops at 1 000 requests a second.

import { execFile, spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { waitUntil } from '../cli/support/wait.ts'
import { freePort } from '../local/ports.ts'

const run = promisify(execFile)

/** Builds the Worker as a deployment would; answers the folder that holds it. */
export async function buildWorker(outdir: string): Promise<string> {
  await run('wrangler', ['deploy', '--dry-run', '--outdir', outdir], {
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
  })
  return outdir
}

/** Serves the bundle on a free port with the variables of the stack. */
export async function startWorkerd(folder: string, bundle: string, facts: StackFacts) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await mkdir(join(folder, 'objects'), { recursive: true })
  const config = join(bundle, 'bench.capnp')
  await writeFile(config, await workerdConfig(bundle, join(folder, 'objects'), port))
  const workerd = createRequire(import.meta.url).resolve('workerd/bin/workerd')
  const child = spawn(workerd, ['serve', config], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      BASE_URL: url,
      DATABASE_URL: facts.database_url,
      DATA_DATABASE_URL: facts.data_database_url,
      SQL_GATEWAY_URL: facts.sql_gateway_url ?? '',
      REQUEST_LOG: process.env.REQUEST_LOG ?? 'all',
    },
  })
  await waitUntil({ what: 'workerd answers', deadlineMs: 20_000 }, async () =>
    (await fetch(`${url}/healthz`)).ok ? true : undefined,
  )
  return { url, pid: child.pid ?? 0, stop: async () => void child.kill('SIGKILL') }
}

const VARIABLES = ['BASE_URL', 'DATABASE_URL', 'DATA_DATABASE_URL', 'SQL_GATEWAY_URL', 'REQUEST_LOG']

async function workerdConfig(bundle: string, objects: string, port: number): Promise<string> {
  const { compatibilityDate, compatibilityFlags } = await compatibility()
  const modules = (await readdir(bundle)).flatMap(name => {
    if (name.endsWith('.js')) return `(name = "${name}", esModule = embed "${name}")`
    if (name.endsWith('.wasm')) return `(name = "./${name}", wasm = embed "${name}")`
    if (name.endsWith('.txt')) return `(name = "./${name}", text = embed "${name}")`
    return name.endsWith('.bin') ? `(name = "./${name}", data = embed "${name}")` : []
  })
  // The entry comes first: workerd takes the first module as the Worker's main one.
  modules.sort((a, b) => Number(b.includes('"worker.js"')) - Number(a.includes('"worker.js"')))
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
    (name = "objects", disk = (path = "${objects}", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [${modules.join(', ')}],
  compatibilityDate = "${compatibilityDate}",
  compatibilityFlags = [${compatibilityFlags}],
  bindings = [
    ${VARIABLES.map(name => `(name = "${name}", fromEnvironment = "${name}"),`).join('\n    ')}
    (name = "API_KEY_LIMITER", durableObjectNamespace = "ApiKeyLimiter"),
    (name = "ADDRESS_LIMITER", durableObjectNamespace = "AddressLimiter"),
    (name = "WEBHOOK_FANOUT", durableObjectNamespace = "WebhookFanout"),
    (name = "REQUEST_METRICS", durableObjectNamespace = "RequestMetrics"),
  ],
  durableObjectNamespaces = [
    (className = "ApiKeyLimiter", uniqueKey = "bench", enableSql = true),
    (className = "AddressLimiter", uniqueKey = "bench-addresses", enableSql = true),
    (className = "WebhookFanout", uniqueKey = "bench-webhooks", enableSql = true),
    (className = "RequestMetrics", uniqueKey = "bench-metrics", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
);
`
}

/** The bundle runs under what wrangler.toml says; said twice, the two would drift apart. */
async function compatibility(): Promise<{ compatibilityDate: string; compatibilityFlags: string }> {
  const toml = await readFile('wrangler.toml', 'utf8')
  return {
    compatibilityDate: /^compatibility_date = "(.*)"/m.exec(toml)?.[1] ?? '',
    compatibilityFlags: /^compatibility_flags = \[(.*)\]/m.exec(toml)?.[1] ?? '',
  }
}
