// Vitest's global setup for everything: a folder of the run's own takes the place of the system's temporary folder, for
// the tests and for all that they start. Once the run is gone, however it ended, a process of its own ends what still
// runs from that folder, and removes it.

import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_DIR } from '../../cli/support/project.ts'

// Vitest takes the setup from the default export.
export default function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-'))
  // As open as the folder whose place it takes.
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  // The programs that tests start again and again are compiled once.
  process.env['NODE_COMPILE_CACHE'] ??= join(PROJECT_DIR, 'node_modules', '.cache', 'compiled')
  const cleaner = spawn(process.execPath, [join(import.meta.dirname, 'clean-up.ts'), folder], {
    // Its input ends when this process does.
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C is for the run: the cleaner comes after it.
    detached: true,
  })
  cleaner.unref()
}
