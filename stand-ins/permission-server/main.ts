// The local permission server as a process: `node stand-ins/permission-server/main.ts` with PERMISSION_SERVER_*.

import { runService } from '../service/listen.ts'
import { readSettings } from '../service/settings.ts'
import { startPermissionServer } from './server.ts'
import { PermissionServerSettings } from './settings.ts'

await runService(() =>
  startPermissionServer(readSettings(PermissionServerSettings, 'PERMISSION_SERVER_', process.env)),
)
