// Quoin on a database of the test's own: gateway, Worker and listener beside those of the stack.

import { mkdirSync } from 'node:fs'
import { pino } from 'pino'
import { inject } from 'vitest'
import { readConfig } from '../../../listener/config.ts'
import { startListener } from '../../../listener/listener.ts'
import { startGateway } from '../../../sql-gateway/server.ts'
import { INGEST_PATH, INGEST_SECRET, SECRETS_KEY } from '../../support/webhooks.ts'
import { startTestWorker } from '../../support/worker.ts'

/** The Worker's objects are those of the folder. `unheard` runs what a listener finds that starts behind it. */
export async function serveDatabase(
  DATABASE_URL: string,
  stateFolder: string,
  vars: Record<string, string> = {},
) {
  mkdirSync(stateFolder, { recursive: true })
  const dataUrl = new URL(inject('stack').data_database_url)
  dataUrl.pathname = new URL(DATABASE_URL).pathname
  const gateway = await startGateway({ databaseUrls: [DATABASE_URL, dataUrl.href] })
  const { url, worker, close } = await startTestWorker({
    stateFolder,
    vars: {
      DATABASE_URL,
      DATA_DATABASE_URL: dataUrl.href,
      SQL_GATEWAY_URL: gateway.url,
      SECRETS_KEY,
      INGEST_SECRET,
      ...vars,
    },
  })
  const config = readConfig({
    LISTENER_DATABASE_URL: DATABASE_URL,
    INGEST_URL: url + INGEST_PATH,
    INGEST_SECRET,
    LISTENER_HEALTH_PORT: 0,
  })
  const listen = () => startListener(config, pino({ level: 'silent' }))
  let listener = await listen()
  return {
    url,
    worker,
    async unheard(write: () => Promise<unknown>) {
      await listener.close()
      await write()
      listener = await listen()
    },
    async [Symbol.asyncDispose]() {
      await listener.close()
      await close()
      await gateway.close()
    },
  }
}
