// A migration of Quoin's own that has landed is never changed: databases have it as it was. A new one is a new file,
// and gets its line in landed-migrations.json with it.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const FOLDER = join(PROJECT_DIR, 'migrations/platform')
const landed = JSON.parse(
  readFileSync(join(import.meta.dirname, 'landed-migrations.json'), 'utf8'),
) as Record<string, string>

it('has every migration of Quoin’s own as it landed', () => {
  const hashes = readdirSync(FOLDER).map(name => {
    const sha256 = createHash('sha256')
      .update(readFileSync(join(FOLDER, name)))
      .digest('hex')
    return [name, sha256]
  })
  expect(Object.fromEntries(hashes)).toEqual(landed)
})
