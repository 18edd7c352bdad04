// The local OAuth2 server as a process: reads OAUTH_SERVER_* and serves until SIGTERM or SIGINT.

import { runService } from '../service/listen.ts'
import { startOAuthServer } from './server.ts'
import { OAuthServerSettings } from './settings.ts'

const PREFIX = 'OAUTH_SERVER_'

/** `databaseUrl` of the settings is OAUTH_SERVER_DATABASE_URL of the environment; an empty variable is none. */
function readSettings(env: NodeJS.ProcessEnv): OAuthServerSettings {
  const names = Object.keys(OAuthServerSettings.shape)
  const given = names.flatMap(name => {
    const value = env[variableOf(name)]?.trim()
    return value ? [[name, value]] : []
  })
  const parsed = OAuthServerSettings.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${variableOf(path.join('.'))}: ${message}`)
  throw new Error(`the OAuth2 server cannot start: ${problems.join('; ')}`)
}

function variableOf(name: string): string {
  return PREFIX + name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
}

await runService(() => startOAuthServer(readSettings(process.env)))
