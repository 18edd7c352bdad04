// The built Worker, and a bare one beside it that does nothing but hand files to the store: each in a workerd of its
// own with miniflare's R2, as the local stack has it. Plain workerd has no R2; wrangler's proxy would be in the way.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { type SourcelessWorkerOptions, unstable_getMiniflareWorkerOptions } from 'wrangler'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { PROJECT_DIR } from '../cli/support/project.ts'
import { listProcesses } from '../local/process-table.ts'

/** A Worker that serves files, and the process of its runtime. */
export interface FileServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

const BARE = `export default {
  async fetch(request, { STORAGE }) {
    const name = new URL(request.url).pathname
    if (request.method === 'PUT') {
      const { size } = await STORAGE.put(name, request.body)
      return Response.json({ size })
    }
    const object = await STORAGE.get(name)
    return new Response(object.body, { headers: { 'content-length': object.size } })
  },
}`

const { workerOptions } = unstable_getMiniflareWorkerOptions(join(PROJECT_DIR, 'wrangler.toml'))

/** Serves the bundle, on the stack's Postgres and gateway; files go into the folder. */
export function startQuoin(bundle: string, folder: string, facts: StackFacts): Promise<FileServer> {
  const bindings = {
    DATABASE_URL: facts.database_url,
    DATA_DATABASE_URL: facts.data_database_url,
    SQL_GATEWAY_URL: facts.sql_gateway_url ?? '',
  }
  return start(folder, { ...workerOptions, bindings }, { modulesRoot: bundle, modules: modulesIn(bundle) })
}

/** Serves the same store by a Worker of ten lines. */
export function startBare(folder: string): Promise<FileServer> {
  const { compatibilityDate, compatibilityFlags, r2Buckets } = workerOptions
  const settings = { compatibilityDate, compatibilityFlags, r2Buckets } as SourcelessWorkerOptions
  return start(folder, settings, { modules: true, script: BARE })
}

type Source =
  | { modulesRoot: string; modules: ReturnType<typeof modulesIn> }
  | { modules: true; script: string }

async function start(folder: string, settings: SourcelessWorkerOptions, source: Source): Promise<FileServer> {
  const others = new Set(workerds())
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => {},
      telemetry: { enabled: false },
      defaultPersistRoot: folder,
      workers: [{ ...settings, ...source, name: 'files', unsafeDirectSockets: [{}] }],
    }),
  )
  await miniflare.ready
  const url = (await miniflare.unsafeGetDirectURL('files')).origin
  const [pid = 0] = workerds().filter(other => !others.has(other))
  return { url, pid, stop: () => miniflare.dispose() }
}

/** Processes of the runtime that this program has started. */
function workerds(): number[] {
  const own = listProcesses().find(({ pid }) => pid === process.pid)?.groupId
  return listProcesses()
    .filter(({ groupId, identity }) => groupId === own && identity.includes('/workerd\n'))
    .map(({ pid }) => pid)
}

/** The script comes first, which is what the runtime starts. */
function modulesIn(folder: string) {
  const named = (suffix: string) => readdirSync(folder).filter(name => name.endsWith(suffix))
  return [
    ...named('.js').map(name => ({ type: 'ESModule' as const, path: join(folder, name) })),
    ...named('.wasm').map(name => ({ type: 'CompiledWasm' as const, path: join(folder, name) })),
    ...named('.bin').map(name => ({ type: 'Data' as const, path: join(folder, name) })),
    ...named('.txt').map(name => ({ type: 'Text' as const, path: join(folder, name) })),
  ]
}
