/**
 * Owns the gateway as a process: settings from the environment, the line that says where it listens, signals.
 */
import { pino } from 'pino'
import { ConfigError } from '../src/lib/environment.ts'
import { readConfig } from './config.ts'
import { startConfigured } from './server.ts'

const log = pino({ base: null })

async function main(): Promise<void> {
  const gateway = await startConfigured(readConfig(process.env), log)
  log.info({ port: gateway.port, url: gateway.url }, 'listening')
  const stop = (): void => {
    void gateway.close().then(() => process.exit(0))
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) log.fatal(error.message)
  else log.fatal({ err: error }, 'the gateway cannot start')
  process.exit(1)
})
