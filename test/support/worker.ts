// The Worker's real bundle in workerd, for tests that set its variables, evict its objects or count what it asks of
// others. Stands on the stack's Postgres and gateway; its Durable Objects are its own.

import { inject } from 'vitest'
import { createTestHarness, type TestHarness, type WorkerHandle } from 'wrangler'
import { PROJECT_DIR } from '../../local/project.ts'

/** Answers a request that the Worker makes, or undefined to let it through. */
export type Outbound = (request: Request) => Response | Promise<Response> | undefined

export interface TestWorkerSettings {
  /** Variables in place of those that point at the stack. */
  readonly vars?: Readonly<Record<string, string>>
  /** Sees every request that the Worker makes, WebSockets aside. */
  readonly outbound?: Outbound
}

export interface TestWorker extends AsyncDisposable {
  readonly url: string
  /** A call to the Worker; a relative address is taken from `url`. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** For evicting objects and reading bindings. */
  readonly worker: WorkerHandle
  readonly harness: TestHarness
  close(): Promise<void>
}

/** Starts a Worker of the test's own, in about a second. Close it, or take it with `await using`. */
export async function startTestWorker(settings: TestWorkerSettings = {}): Promise<TestWorker> {
  const stack = inject('stack')
  const harness = createTestHarness({
    root: PROJECT_DIR,
    workers: [
      {
        configPath: 'wrangler.toml',
        vars: {
          DATABASE_URL: stack.database_url,
          DATA_DATABASE_URL: stack.data_database_url,
          SQL_GATEWAY_URL: stack.sql_gateway_url ?? '',
          OAUTH_PUBLIC_URL: stack.oauth_public_url ?? '',
          OAUTH_ADMIN_URL: stack.oauth_admin_url ?? '',
          IDENTITY_PUBLIC_URL: stack.identity_public_url ?? '',
          IDENTITY_ADMIN_URL: stack.identity_admin_url ?? '',
          DASHBOARD_URL: stack.dashboard_url,
          ...settings.vars,
        },
      },
    ],
  })
  const restore = settings.outbound === undefined ? () => {} : interceptFetch(settings.outbound)
  const { url } = await harness.listen()
  const close = async () => {
    restore()
    await harness.close()
  }
  return {
    url: url.origin,
    fetch: (path, init) => plainFetch(new URL(path, url), init),
    worker: harness.getWorker(),
    harness,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const plainFetch = globalThis.fetch

/** The harness sends the Worker's own requests through this process' `fetch`, and looks it up at each of them. */
function interceptFetch(outbound: Outbound): () => void {
  const before = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    return (await outbound(request)) ?? before(request)
  }
  return () => {
    globalThis.fetch = before
  }
}
