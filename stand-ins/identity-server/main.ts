// The local identity provider as a process: `node stand-ins/identity-server/main.ts` with IDENTITY_SERVER_*.

import { runService } from '../service/listen.ts'
import { readSettings } from '../service/settings.ts'
import { startIdentityServer } from './server.ts'
import { IdentityServerSettings } from './settings.ts'

await runService(() =>
  startIdentityServer(readSettings(IdentityServerSettings, 'IDENTITY_SERVER_', process.env)),
)
