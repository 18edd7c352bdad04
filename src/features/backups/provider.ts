// What keeps backups and branches, whoever that is.

import type { Backup, Branch, ProviderName } from './schemas.ts'

/** Reads what there is. Nothing is made, switched or deleted through it. */
export interface BackupProvider {
  readonly name: ProviderName
  /** Newest first. */
  listBackups(): Promise<Backup[]>
  /** The current one first, then the newest. */
  listBranches(): Promise<Branch[]>
}
