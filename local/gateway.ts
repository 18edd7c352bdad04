// The SQL gateway as a child process, in front of the owner's and the authenticator's connection strings.

import { join } from 'node:path'
import type { Children } from './children.ts'
import { LOOPBACK } from './ports.ts'
import { PROJECT_DIR } from './project.ts'
import { waitUntil } from './wait.ts'

const START_DEADLINE_MS = 20_000
const PROBE_TIMEOUT_MS = 5_000

export interface GatewaySettings {
  readonly port: number
  readonly databaseUrls: readonly string[]
  /** Folder of the local Postgres' socket; undefined for a Postgres that is reached over the network. */
  readonly socketDir: string | undefined
}

/** Starts the gateway and waits until it and Postgres behind it answer. */
export async function startGateway(children: Children, settings: GatewaySettings): Promise<string> {
  await children.start({
    name: 'gateway',
    command: process.execPath,
    args: [join(PROJECT_DIR, 'sql-gateway', 'main.ts')],
    env: {
      ...process.env,
      GATEWAY_DATABASE_URLS: settings.databaseUrls.join(' '),
      GATEWAY_HOST: LOOPBACK,
      GATEWAY_PORT: String(settings.port),
      GATEWAY_SOCKET_DIR: settings.socketDir ?? '',
    },
    cwd: PROJECT_DIR,
    endSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
  })
  const url = `http://${LOOPBACK}:${settings.port}`
  const probe = async () => {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text}`)
    return true
  }
  await waitUntil(
    { what: 'the SQL gateway answers', deadlineMs: START_DEADLINE_MS, stopped: children.stopped },
    probe,
  )
  return url
}
