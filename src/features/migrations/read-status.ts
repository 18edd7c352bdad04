// Which migrations are applied, and whose tracking tables there are (Spec, Migration status entry).

import { compare } from './compare.ts'
import { detectFrameworks } from './frameworks/detect-frameworks.ts'
import type { MigrationReadDeps } from './migration-deps.ts'
import { readTracked, USER_MIGRATIONS } from './runner/tracking-table.ts'
import type { MigrationStatus, MigrationStatusEntry } from './schemas.ts'

/** Two trips at once. Throws `tracking_table_unusable`. */
export async function readMigrationStatus({
  platform,
  migrations,
}: MigrationReadDeps): Promise<MigrationStatus> {
  const [tracked, frameworks] = await Promise.all([
    readTracked((sql, params) => platform.query(sql, params, 'repeatable'), USER_MIGRATIONS),
    detectFrameworks(platform),
  ])
  const entries = compare(migrations.files, tracked)
  const count = (state: MigrationStatusEntry['state']) =>
    entries.filter(entry => entry.state === state).length
  return {
    migrations: entries,
    ...frameworks,
    summary: {
      applied: count('applied'),
      pending: count('pending'),
      modified: count('modified'),
      orphaned: count('orphaned'),
    },
  }
}
