// The local identity provider as a process: `node stand-ins/identity-server/main.ts` with the variables of settings.ts.

import { runService } from '../service/listen.ts'
import { startIdentityServer } from './server.ts'
import { readSettings } from './settings.ts'

await runService(() => startIdentityServer(readSettings(process.env)))
