// `GET /v1/status` of a database without a Worker of its own.

import type { DataDatabase, PlatformDatabase } from '../../src/db/database.ts'
import { Declarations } from '../../src/features/permissions/declarations.ts'
import { type PlatformStatus, readPlatformStatus } from '../../src/features/status/overview.ts'

const NO_SERVER = { name: 'permission_server', variable: 'X', baseUrl: undefined, fetch } as const
const UPSTREAMS = {
  permissionRead: NO_SERVER,
  oauthPublic: NO_SERVER,
  oauthAdmin: NO_SERVER,
  identityPublic: NO_SERVER,
  identityAdmin: NO_SERVER,
  permissionWrite: NO_SERVER,
}
const ANSWERING_DATA = { batch: async () => [] }

export function platformStatusOf(
  platform: PlatformDatabase,
  platformNames: readonly string[] = [],
  data: Pick<DataDatabase, 'batch'> = ANSWERING_DATA,
): Promise<PlatformStatus> {
  const settings = { baseUrl: 'http://localhost', identityPublicUrl: undefined, dashboardRoles: [] }
  const config = { ...settings, dbSchemas: ['public'], dataUserRole: undefined }
  const permissionFile = { text: '', declarations: new Declarations({ namespaces: [] }) }
  const migrations = { platformNames }
  return readPlatformStatus({
    platform,
    data,
    blobs: { head: async () => null },
    config,
    upstreams: UPSTREAMS,
    permissionFile,
    migrations,
    now: () => new Date(),
  })
}
