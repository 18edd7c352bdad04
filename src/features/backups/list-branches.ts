// The list of branches.

import { type BackupDeps, chooseProvider } from './choose-provider.ts'
import type { BranchList } from './schemas.ts'

/** The database and its branches. Throws `upstream_*` where Neon keeps them and does not answer well. */
export async function listBranches(deps: BackupDeps): Promise<BranchList> {
  const provider = chooseProvider(deps)
  return { data: await provider.listBranches(), next_cursor: null, provider: provider.name }
}
