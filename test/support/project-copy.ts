// A copy of the project, whose folder migrations/ is a test's own: it begins with Quoin's alone.

import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_DIR } from '../../cli/support/project.ts'

/** What runs the stack. */
const PARTS = [
  'cli',
  'local',
  'stand-ins',
  'src',
  'durable-objects',
  'sql-gateway',
  'listener',
  'migrations/platform',
  'permissions',
  'scripts',
  'examples',
  'package.json',
  'wrangler.toml',
  'tsconfig.json',
  'tsconfig.base.json',
]

/** Fills the folder `target`. What was installed is shared, and must not be written to. */
export function copyProject(target: string): void {
  mkdirSync(target, { recursive: true })
  for (const name of PARTS) cpSync(join(PROJECT_DIR, name), join(target, name), { recursive: true })
  symlinkSync(join(PROJECT_DIR, 'node_modules'), join(target, 'node_modules'))
  // As root, the user `postgres` must pass through it.
  chmodSync(target, 0o755)
}
