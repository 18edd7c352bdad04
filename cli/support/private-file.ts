// Files that hold secrets: readable by their owner alone, and never half written.

import { renameSync, writeFileSync } from 'node:fs'

/** Writes the whole file with mode 600, or leaves the old one as it is. */
export function writePrivateFile(path: string, text: string): void {
  const fresh = `${path}.partial`
  writeFileSync(fresh, `${text}\n`, { mode: 0o600 })
  renameSync(fresh, path)
}
