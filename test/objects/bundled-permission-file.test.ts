// What the Worker has of the permission file, in workerd and through the bundler.

import { expect, it } from 'vitest'
import { bundledPermissions } from '../../src/features/permissions/bundled-file.ts'

it('has the text of the permission file in its bundle, and reads it once', () => {
  expect(bundledPermissions.text).toContain('implements Namespace')
  expect(bundledPermissions.declarations.names()).toContain('User')
  expect(bundledPermissions.declarations).toBe(bundledPermissions.declarations)
})
