// The listener as a child process: carries row changes from the local Postgres to the Worker.

import { join } from 'node:path'
import type { Children } from './children.ts'
import { LOOPBACK } from './ports.ts'
import { PROJECT_DIR } from './project.ts'
import { waitUntil } from './wait.ts'

const START_DEADLINE_MS = 20_000
const PROBE_TIMEOUT_MS = 5_000

export interface ListenerSettings {
  readonly databaseUrl: string
  readonly baseUrl: string
  readonly ingestSecret: string
  readonly healthPort: number
}

/** Starts the listener and waits until it is connected; answers the address of its health page. */
export async function startListener(children: Children, settings: ListenerSettings): Promise<string> {
  await children.start({
    name: 'listener',
    command: process.execPath,
    args: [join(PROJECT_DIR, 'listener', 'main.ts')],
    env: {
      ...process.env,
      LISTENER_DATABASE_URL: settings.databaseUrl,
      LISTENER_HEALTH_HOST: LOOPBACK,
      LISTENER_HEALTH_PORT: String(settings.healthPort),
      INGEST_URL: `${settings.baseUrl}/internal/row-changes`,
      INGEST_SECRET: settings.ingestSecret,
    },
    cwd: PROJECT_DIR,
    endSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
  })
  const url = `http://${LOOPBACK}:${settings.healthPort}`
  const probe = async () => {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`)
    return true
  }
  await waitUntil(
    { what: 'the listener is connected', deadlineMs: START_DEADLINE_MS, stopped: children.stopped },
    probe,
  )
  return url
}
