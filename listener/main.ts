/**
 * Owns the listener as a process: settings from the environment, the line that says where it listens, signals.
 */
import { pino } from 'pino'
import { ConfigError } from '../src/lib/environment.ts'
import { readConfig } from './config.ts'
import { startListener } from './listener.ts'

const log = pino({ base: null })

async function main(): Promise<void> {
  const listener = await startListener(readConfig(process.env), log)
  log.info({ port: listener.port, url: listener.url }, 'listening')
  const stop = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping')
    void listener.close().then(() => {
      log.info('stopped')
      process.exit(0)
    })
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) log.fatal(error.message)
  else log.fatal({ err: error }, 'the listener cannot start')
  process.exit(1)
})
