// `GET /v1/status` of a database without a Worker of its own.

import type { PlatformDatabase } from '../../src/db/database.ts'
import { type PlatformStatus, readPlatformStatus } from '../../src/features/status/overview.ts'

export function platformStatusOf(platform: PlatformDatabase): Promise<PlatformStatus> {
  const settings = { baseUrl: 'http://localhost', identityPublicUrl: undefined, dashboardRoles: [] }
  const config = { ...settings, dbSchemas: ['public'] }
  return readPlatformStatus({ platform, config, now: () => new Date() })
}
