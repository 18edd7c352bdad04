// Who keeps backups and branches: Neon, or Quoin's own command line beside an ordinary Postgres.

import type { Upstream } from '../../clients/http.ts'
import type { PlatformDatabase } from '../../db/database.ts'
import { neonProvider } from './neon-provider.ts'
import { postgresProvider } from './postgres-provider.ts'
import type { BackupProvider } from './provider.ts'

export interface BackupDeps {
  platform: Pick<PlatformDatabase, 'query'>
  upstreams: { neon: Upstream }
  config: { neonProjectId: string | undefined }
}

/** Neon where its API is configured whole, else Postgres. */
export function chooseProvider({ platform, upstreams, config }: BackupDeps): BackupProvider {
  const { neonProjectId } = config
  if (neonProjectId !== undefined && upstreams.neon.token !== undefined)
    return neonProvider(upstreams.neon, neonProjectId)
  return postgresProvider(platform)
}
