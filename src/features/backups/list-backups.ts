// The list of backups.

import { type BackupDeps, chooseProvider } from './choose-provider.ts'
import type { BackupList } from './schemas.ts'

/** All backups that are known, newest first. Throws `upstream_*` where Neon keeps them and does not answer well. */
export async function listBackups(deps: BackupDeps): Promise<BackupList> {
  const provider = chooseProvider(deps)
  return { data: await provider.listBackups(), next_cursor: null, provider: provider.name }
}
