// The SQL gateway as a child process, in front of every connection string that the Worker has.

import type { Children } from './children.ts'
import { startNodeProgram } from './node-program.ts'
import { LOOPBACK } from './ports.ts'

export interface GatewaySettings {
  readonly port: number
  readonly databases: readonly {
    readonly url: string
    /** Folder of the local Postgres' socket; undefined for a Postgres that is reached over the network. */
    readonly socketDir: string | undefined
  }[]
}

/** Starts the gateway and waits until it and Postgres behind it answer. */
export async function startGateway(children: Children, settings: GatewaySettings): Promise<string> {
  const url = `http://${LOOPBACK}:${settings.port}`
  await startNodeProgram(children, {
    name: 'gateway',
    file: 'sql-gateway/main.ts',
    variables: {
      GATEWAY_DATABASE_URLS: settings.databases.map(connectionString).join(' '),
      GATEWAY_HOST: LOOPBACK,
      GATEWAY_PORT: String(settings.port),
    },
    readyUrls: [`${url}/healthz`],
    what: 'the SQL gateway answers',
  })
  return url
}

/** The parameter says how the gateway gets there; callers name the database without it. */
function connectionString({ url, socketDir }: GatewaySettings['databases'][number]): string {
  if (socketDir === undefined) return url
  const throughSocket = new URL(url)
  throughSocket.searchParams.set('host', socketDir)
  return throughSocket.href
}
