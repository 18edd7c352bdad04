// What migrations need of the deployment.

import type { PlatformDatabase } from '../../db/database.ts'
import type { OwnerConnections } from '../../db/owner-connections.ts'
import type { BundledMigrations } from './migration-file.ts'

export interface MigrationReadDeps {
  platform: Pick<PlatformDatabase, 'query'>
  migrations: BundledMigrations
}

export interface MigrationRunDeps extends MigrationReadDeps {
  ownerConnections: OwnerConnections
  config: { migrationStatementTimeoutMs: number; dbExtraSearchPath: readonly string[] }
}
