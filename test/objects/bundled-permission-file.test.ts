// What the Worker has of the permission file, in workerd and through the bundler.

import { expect, it } from 'vitest'
import { BUNDLED_FILE_TEXT, bundledFile } from '../../src/features/permissions/bundled-file.ts'

it('has the text of the permission file in its bundle, and reads it once', () => {
  expect(BUNDLED_FILE_TEXT).toContain('implements Namespace')
  expect(bundledFile().errors).toEqual([])
  expect(bundledFile().file.namespaces.map(({ name }) => name)).toContain('User')
  expect(bundledFile()).toBe(bundledFile())
})
