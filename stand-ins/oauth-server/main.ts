// The local OAuth2 server as a process: reads OAUTH_SERVER_* and serves until SIGTERM or SIGINT.

import { runService } from '../service/listen.ts'
import { readSettings } from '../service/settings.ts'
import { startOAuthServer } from './server.ts'
import { OAuthServerSettings } from './settings.ts'

await runService(() => startOAuthServer(readSettings(OAuthServerSettings, 'OAUTH_SERVER_', process.env)))
