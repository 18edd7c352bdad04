// `GET /v1/status` of a database without a Worker of its own.

import type { PlatformDatabase } from '../../src/db/database.ts'
import { Declarations } from '../../src/features/permissions/declarations.ts'
import { type PlatformStatus, readPlatformStatus } from '../../src/features/status/overview.ts'

const NO_SERVER = {
  name: 'permission_server',
  variable: 'PERMISSION_READ_URL',
  baseUrl: undefined,
  fetch,
} as const

export function platformStatusOf(
  platform: PlatformDatabase,
  platformNames: readonly string[] = [],
): Promise<PlatformStatus> {
  const settings = { baseUrl: 'http://localhost', identityPublicUrl: undefined, dashboardRoles: [] }
  const config = { ...settings, dbSchemas: ['public'] }
  const permissionFile = { text: '', declarations: new Declarations({ namespaces: [] }) }
  const migrations = { platformNames }
  const upstreams = { permissionRead: NO_SERVER }
  return readPlatformStatus({
    platform,
    config,
    upstreams,
    permissionFile,
    migrations,
    now: () => new Date(),
  })
}
