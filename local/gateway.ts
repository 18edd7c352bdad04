// The SQL gateway as a child process, in front of the owner's and the authenticator's connection strings.

import type { Children } from './children.ts'
import { startNodeProgram } from './node-program.ts'
import { LOOPBACK } from './ports.ts'

export interface GatewaySettings {
  readonly port: number
  readonly databaseUrls: readonly string[]
  /** Folder of the local Postgres' socket; undefined for a Postgres that is reached over the network. */
  readonly socketDir: string | undefined
}

/** Starts the gateway and waits until it and Postgres behind it answer. */
export async function startGateway(children: Children, settings: GatewaySettings): Promise<string> {
  const url = `http://${LOOPBACK}:${settings.port}`
  await startNodeProgram(children, {
    name: 'gateway',
    file: 'sql-gateway/main.ts',
    variables: {
      GATEWAY_DATABASE_URLS: settings.databaseUrls.join(' '),
      GATEWAY_HOST: LOOPBACK,
      GATEWAY_PORT: String(settings.port),
      GATEWAY_SOCKET_DIR: settings.socketDir ?? '',
    },
    readyUrls: [`${url}/healthz`],
    what: 'the SQL gateway answers',
  })
  return url
}
