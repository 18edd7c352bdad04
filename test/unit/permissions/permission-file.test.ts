// The permission file itself: what is in it now must be what Keto would load.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { parsePermissionFile } from '../../../src/features/permissions/language/parse.ts'

it('is a file without errors', () => {
  const text = readFileSync(join(PROJECT_DIR, 'permissions', 'namespaces.ts'), 'utf8')
  const { file, errors } = parsePermissionFile(text)
  expect(errors).toEqual([])
  expect(file.namespaces.length).toBeGreaterThan(0)
})
