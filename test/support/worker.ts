// The Worker's real bundle in workerd, for tests that set its variables, evict its objects or count what it asks of
// others. Stands on the stack's Postgres and gateway; its Durable Objects are its own.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  convertV4MiniflareOptions,
  type DurableObjectStorageHandle,
  Log,
  LogLevel,
  Miniflare,
} from 'miniflare'
import { inject } from 'vitest'
import { type BuiltWorker, builtWorker } from './built-worker.ts'
import { FAULT_URL, failingEntry, type StorageFault } from './failing-storage.ts'

/** Answers a request that the Worker makes, or undefined to let it through. */
export type Outbound = (request: Request) => Response | Promise<Response> | undefined

export interface TestWorkerSettings {
  /** Variables in place of those that point at the stack. */
  readonly vars?: Readonly<Record<string, string>>
  /** Sees every request that the Worker makes, WebSockets aside. */
  readonly outbound?: Outbound
  /** Asked before each call of the store of files, by the name of the method; what it answers goes wrong. */
  readonly storageFault?: (call: string) => StorageFault | undefined
  /** In place of the project's own. */
  readonly built?: BuiltWorker
  /** The folder of its state, files below `r2`; undefined: a new one, which goes with it. */
  readonly stateFolder?: string | undefined
}

export interface WorkerHandle {
  scheduled(options: { cron: string }): Promise<unknown>
  /** Waits until the object is idle. */
  evictDurableObject(className: string, object: { name: string }): Promise<void>
  getDurableObjectStorage(className: string, object: { name: string }): Promise<DurableObjectStorageHandle>
  /** Keys of the blobs in the store of files that begin so. */
  blobKeys(prefix: string): Promise<string[]>
}

export interface TestWorker extends AsyncDisposable {
  readonly url: string
  /** A call to the Worker; a relative address is taken from `url`. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** For crons, for evicting objects and reading what they store. */
  readonly worker: WorkerHandle
  close(): Promise<void>
}

/** Starts a Worker of the test's own, in less than a second. Close it, or take it with `await using`. */
export async function startTestWorker({
  vars,
  outbound: given,
  storageFault,
  built,
  stateFolder,
}: TestWorkerSettings = {}): Promise<TestWorker> {
  const stack = inject('stack')
  const { folder, options } = built ?? (await builtWorker())
  const outbound = storageFault === undefined ? given : withFaults(storageFault, given)
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      cf: false,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => {},
      telemetry: { enabled: false },
      unsafeInspectDurableObjects: true,
      workers: [
        {
          ...options,
          name: NAME,
          modulesRoot: folder,
          modules: [...(storageFault ? [failingModule(folder)] : []), ...modulesIn(folder)],
          bindings: {
            DATABASE_URL: stack.database_url,
            DATA_DATABASE_URL: stack.data_database_url,
            SQL_GATEWAY_URL: stack.sql_gateway_url ?? '',
            OAUTH_PUBLIC_URL: stack.oauth_public_url ?? '',
            OAUTH_ADMIN_URL: stack.oauth_admin_url ?? '',
            IDENTITY_PUBLIC_URL: stack.identity_public_url ?? '',
            IDENTITY_ADMIN_URL: stack.identity_admin_url ?? '',
            PERMISSION_READ_URL: stack.permission_read_url ?? '',
            PERMISSION_WRITE_URL: stack.permission_write_url ?? '',
            PERMISSION_ADMIN_TOKEN: stack.permission_admin_token ?? '',
            DASHBOARD_URL: stack.dashboard_url,
            ...vars,
          },
          ...(outbound && { outboundService: (request: Request) => answer(request, outbound) }),
        },
      ],
    }),
    ...(stateFolder !== undefined && { resourcePersistencePath: stateFolder }),
  })
  const url = await miniflare.ready
  const close = () => miniflare.dispose()
  return {
    url: url.origin,
    fetch: (path, init) => fetch(new URL(path, url), init),
    worker: {
      scheduled: async options => (await miniflare.getWorker(NAME)).scheduled(options),
      evictDurableObject: (...object) => miniflare.unsafeEvictDurableObject(NAME, ...object),
      getDurableObjectStorage: (...object) => miniflare.unsafeGetDurableObjectStorage(NAME, ...object),
      blobKeys: async prefix => {
        const { objects } = await (await miniflare.getR2Bucket('STORAGE', NAME)).list({ prefix })
        return objects.map(({ key }) => key)
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const NAME = 'quoin'

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

function failingModule(folder: string) {
  const [script] = modulesIn(folder)
  const path = join(folder, 'failing-storage.js')
  return { type: 'ESModule' as const, path, contents: failingEntry(script?.path ?? '') }
}

function withFaults(storageFault: (call: string) => StorageFault | undefined, outbound?: Outbound): Outbound {
  return request =>
    request.url.startsWith(FAULT_URL)
      ? new Response(storageFault(request.url.slice(FAULT_URL.length)) ?? '')
      : outbound?.(request)
}

async function answer(given: Request, outbound: Outbound): Promise<Response> {
  const request = new Request(given.url, given)
  return (await outbound(request)) ?? fetch(request)
}
