// The local permission server as a process: `node stand-ins/permission-server/main.ts` with the variables of
// settings.ts.

import { runService } from '../service/listen.ts'
import { startPermissionServer } from './server.ts'
import { readSettings } from './settings.ts'

await runService(() => startPermissionServer(readSettings(process.env)))
