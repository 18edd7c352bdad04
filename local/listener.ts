// The listener as a child process: carries row changes from the local Postgres to the Worker.

import { INGEST_PATH } from '../src/features/row-changes/ingest/messages.ts'
import type { Children } from './children.ts'
import { startNodeProgram } from './node-program.ts'
import { LOOPBACK } from './ports.ts'

export interface ListenerSettings {
  readonly databaseUrl: string
  readonly baseUrl: string
  readonly ingestSecret: string
  readonly healthPort: number
}

/** Starts the listener and waits until it is connected; answers the address of its health page. */
export async function startListener(children: Children, settings: ListenerSettings): Promise<string> {
  const url = `http://${LOOPBACK}:${settings.healthPort}`
  await startNodeProgram(children, {
    name: 'listener',
    file: 'listener/main.ts',
    variables: {
      LISTENER_DATABASE_URL: settings.databaseUrl,
      LISTENER_HEALTH_HOST: LOOPBACK,
      LISTENER_HEALTH_PORT: String(settings.healthPort),
      INGEST_URL: settings.baseUrl + INGEST_PATH,
      INGEST_SECRET: settings.ingestSecret,
    },
    readyUrls: [`${url}/healthz`],
    what: 'the listener is connected',
  })
  return url
}
